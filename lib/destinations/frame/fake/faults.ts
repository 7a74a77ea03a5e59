import type { CallLimit, Fault } from '../../fake.ts';

const ofWrites: ReadonlySet<Fault['kind']> = new Set<Fault['kind']>(['lost-answer', 'late']);

const lateMsUsual = 1_000;

/** Applies a call after its caller has given up. */
export function applyLate({ lateMs = lateMsUsual }: Fault, run: () => unknown): void {
  setTimeout(run, lateMs).unref();
}

/** The faults of a stand-in. */
export interface Faults {
  /** With `operation`, only its calls are hit. */
  set(fault: Fault, operation?: string): void;
  heal(): void;
  limit(limit: CallLimit): void;
  /** The kind of the current fault. */
  kind(): Fault['kind'] | undefined;
  /** The fault that hits this call, used up by it. */
  take(call: { readonly operation?: string; readonly writes: boolean }): Fault | undefined;
}

export function newFaults(): Faults {
  let current:
    | { readonly fault: Fault; readonly operation: string | undefined; left: number; after: number }
    | undefined;
  let limit: CallLimit = () => undefined;
  return {
    limit(given) {
      limit = given;
    },
    set(fault, operation) {
      current = { fault, operation, left: fault.times ?? Number.POSITIVE_INFINITY, after: fault.after ?? 0 };
    },
    heal() {
      current = undefined;
    },
    kind: () => current?.fault.kind,
    take({ operation, writes }) {
      const retryAfterSeconds = limit({ writes });
      if (retryAfterSeconds !== undefined) return { kind: 'throttle', retryAfterSeconds };
      // Only a call that changes something can lose the answer to a change, or be late.
      if (current === undefined || (ofWrites.has(current.fault.kind) && !writes)) return undefined;
      if (current.operation !== undefined && current.operation !== operation) return undefined;
      if (current.after > 0) {
        current.after -= 1;
        return undefined;
      }
      const { fault } = current;
      current.left -= 1;
      if (current.left <= 0) current = undefined;
      return fault;
    },
  };
}

/** An answer, silence, or a broken connection. */
export type Reaction<Answer> = Answer | 'hang' | 'reset';

const silent: ReadonlySet<Fault['kind']> = new Set<Fault['kind']>(['hang', 'late']);

/** Runs a call with its fault, if any. `answerTo` gives the service's own answer, or undefined when the fault sends none. */
export function meet<Answer>(
  fault: Fault | undefined,
  run: () => Answer,
  answerTo: (fault: Fault) => Answer | undefined,
): Reaction<Answer> {
  if (fault === undefined) return run();
  if (fault.kind === 'lost-answer') run();
  if (fault.kind === 'late') applyLate(fault, run);
  return answerTo(fault) ?? (silent.has(fault.kind) ? 'hang' : 'reset');
}
