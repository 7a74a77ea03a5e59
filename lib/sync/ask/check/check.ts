import { type CheckedPermission, DestinationFailure, type Driver } from '#destinations/contract.ts';
import type { DialEvent } from '#network/trace.ts';
import { withDefaults } from '../../drivers/connection.ts';
import {
  type Destination,
  type DriverParts,
  type DriverSettings,
  openWith,
  toNetworkPolicy,
} from '../../drivers/drivers.ts';
import { withinTimes } from '../times.ts';
import { readClock } from './clock.ts';
import { type Report, reportFrom } from './steps.ts';

export interface CheckQuestion extends DriverSettings {
  readonly probe: string;
}

export interface Checked {
  readonly report: Report;
  /** Calls that the system counts. */
  readonly calls: number;
}

/** Deadlines of one connection and one request, so that several fit into the time of a check, in milliseconds. */
const connectMsMax = 3_000;
const requestMsMax = 4_000;

/** Checks a destination by reading calls only, through a new driver whose connections are followed. */
export async function check(
  destination: Destination,
  all: DriverParts,
  question: CheckQuestion,
  signal: AbortSignal,
): Promise<Checked> {
  const parts = withinTimes(all, { connectMs: connectMsMax, requestMs: requestMsMax });
  const events: DialEvent[] = [];
  const opened = open(destination, parts, question, (event) => events.push(event));
  const checked = opened instanceof DestinationFailure ? opened : await checkWith(opened, question.probe, signal);
  const connection = withDefaults(destination.definition.fields, question.connection);
  const policy = toNetworkPolicy(question.network, connection['tls_ca_cert'], parts.networkBounds);
  const clock = await readClock(policy, parts, events, signal);
  const tests =
    checked instanceof DestinationFailure ? [] : checked.filter(({ outcome }) => outcome !== 'not_testable');
  return {
    report: reportFrom({ events, checked, clock }),
    calls: tests.length + (clock === undefined ? 0 : 1),
  };
}

function open(
  destination: Destination,
  parts: DriverParts,
  question: DriverSettings,
  trace: (event: DialEvent) => void,
): Driver | DestinationFailure {
  try {
    return openWith(destination, parts, question, trace);
  } catch (cause) {
    if (cause instanceof DestinationFailure) return cause;
    throw cause;
  }
}

async function checkWith(
  driver: Driver,
  probe: string,
  signal: AbortSignal,
): Promise<readonly CheckedPermission[] | DestinationFailure> {
  try {
    return await driver.check(probe, signal);
  } catch (cause) {
    if (cause instanceof DestinationFailure) return cause;
    throw cause;
  } finally {
    await driver.close();
  }
}
