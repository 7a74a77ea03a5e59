import { z } from 'zod';
import { type CheckedPermission, DestinationFailure, type FailureKind } from '#destinations/contract.ts';
import type { DialEvent, DialStep } from '#network/trace.ts';
import type { ClockReading } from './clock.ts';
import { remedyFor, remedyForStep } from './remedies.ts';

const stepShape = z.object({
  step: z.enum(['address', 'name_resolution', 'connection', 'tls', 'login', 'permission', 'clock']),
  /** `host:port`. */
  target: z.string().optional(),
  permission: z.string().optional(),
  outcome: z.enum(['passed', 'failed', 'not_testable']),
  /** Why it failed, and what to do. */
  cause: z.string().optional(),
  remedy: z.string().optional(),
  /** Why it was not tested. */
  reason: z.string().optional(),
  ahead_seconds: z.number().optional(),
});

/** The outcome of a check. `passed`: no step failed. */
export const reportShape = z.object({ passed: z.boolean(), steps: z.array(stepShape) });

type Step = z.infer<typeof stepShape>;
export type Report = z.infer<typeof reportShape>;

export interface Findings {
  readonly events: readonly DialEvent[];
  /** A failure: the driver could not be opened. */
  readonly checked: readonly CheckedPermission[] | DestinationFailure;
  readonly clock: ClockReading | undefined;
}

const earlier = 'an earlier step failed';

/** Turns what a check has seen into its steps, in the order in which a call takes them. */
export function reportFrom({ events, checked, clock }: Findings): Report {
  const network = networkSteps(events);
  const isReached = !network.some(({ outcome }) => outcome === 'failed');
  const login = loginStep(checked, isReached);
  const permissions = checked instanceof DestinationFailure ? [] : checked;
  const steps = [
    ...network,
    login,
    ...permissions.map((one) => permissionStep(one, login.outcome === 'passed')),
    clockStep(clock, isReached),
  ];
  return { passed: !steps.some(({ outcome }) => outcome === 'failed'), steps };
}

const dialSteps: readonly DialStep[] = ['name_resolution', 'address', 'connection', 'tls'];

/** For each system that was dialled, the last outcome of each step of a connection. */
function networkSteps(events: readonly DialEvent[]): readonly Step[] {
  const targets = Map.groupBy(events, ({ host, port }) => `${host}:${port}`);
  if (targets.size === 0)
    return dialSteps.map((step) => ({ step, outcome: 'not_testable', reason: 'no connection was begun' }));
  return [...targets].flatMap(([target, own]) => {
    const last = new Map(own.map((event) => [event.step, event]));
    const isFailed = own.some((event) => last.get(event.step) === event && event.failure !== undefined);
    return dialSteps.map((step): Step => {
      const event = last.get(step);
      if (event === undefined) return { step, target, outcome: 'not_testable', reason: missing(step, isFailed) };
      if (event.failure === undefined) return { step, target, outcome: 'passed' };
      return { step, target, outcome: 'failed', cause: event.failure, remedy: remedyForStep[step] };
    });
  });
}

function missing(step: DialStep, isFailed: boolean): string {
  if (step === 'name_resolution') return 'the address is no name';
  if (isFailed) return earlier;
  return step === 'tls' ? 'the address begins with http, so there is no TLS' : 'the time of the check ran out';
}

/** Kinds of failures that only a system sends that has accepted the login. */
const afterLogin: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'permission',
  'missing',
  'conflict',
  'quota',
  'name',
]);

function loginStep(checked: Findings['checked'], isReached: boolean): Step {
  const failure = checked instanceof DestinationFailure ? checked : firstFailure(checked);
  if (failure === undefined || afterLogin.has(failure.kind)) return { step: 'login', outcome: 'passed' };
  if (!isReached) return { step: 'login', outcome: 'not_testable', reason: earlier };
  return { step: 'login', outcome: 'failed', cause: failure.message, remedy: remedyFor(failure.kind) };
}

/** The failure that ended the tests, or else the first one. */
function firstFailure(checked: readonly CheckedPermission[]): DestinationFailure | undefined {
  const failures = checked.flatMap((one) => (one.outcome === 'failed' ? [one.failure] : []));
  return checked.some(({ outcome }) => outcome === 'passed') ? undefined : failures[0];
}

function permissionStep(one: CheckedPermission, hasLogin: boolean): Step {
  const { permission } = one;
  const step = { step: 'permission' as const, permission };
  if (one.outcome === 'passed') return { ...step, outcome: 'passed' };
  if (one.outcome === 'not_testable') return { ...step, outcome: 'not_testable', reason: one.reason };
  const { kind, message } = one.failure;
  if (!afterLogin.has(kind)) return { ...step, outcome: 'not_testable', reason: hasLogin ? message : earlier };
  return { ...step, outcome: 'failed', cause: message, remedy: remedyFor(kind, permission) };
}

/** Signatures and tokens are refused by systems whose clock differs by more. */
const aheadSecondsMax = 60;

function clockStep(clock: ClockReading | undefined, isReached: boolean): Step {
  const step = 'clock' as const;
  if (clock === undefined) {
    return { step, outcome: 'not_testable', reason: isReached ? 'the system did not answer in time' : earlier };
  }
  const { target, aheadSeconds } = clock;
  if (aheadSeconds === undefined) {
    return { step, target, outcome: 'not_testable', reason: 'the answer of the system has no date' };
  }
  const seen = { step, target, ahead_seconds: aheadSeconds };
  if (Math.abs(aheadSeconds) <= aheadSecondsMax) return { ...seen, outcome: 'passed' };
  const cause = `the clock of the worker is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'behind' : 'ahead of'} that of the system`;
  return { ...seen, outcome: 'failed', cause, remedy: 'synchronise the clock of the worker, for example by NTP' };
}
