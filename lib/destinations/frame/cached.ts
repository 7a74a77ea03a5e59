import { untilAborted } from './verb/request-time.ts';

/** A value that is fetched when first needed, shared by concurrent callers, and cached while it is fresh. */
export interface Cached<Value> {
  /** Rejects at once when `signal` aborts; the shared fetch goes on for the others. */
  get(signal: AbortSignal): Promise<Value>;
  /** Forgets `value`. A newer one stays, so that many callers with the same stale value fetch once. */
  drop(value: Value): void;
}

/** A failed fetch is not cached. `fetch` must have its own deadline, because no caller's signal reaches it. */
export function cached<Value>(fetch: () => Promise<Value>, isFresh: (value: Value) => boolean): Cached<Value> {
  let held: { readonly value: Value } | undefined;
  let fetching: Promise<Value> | undefined;

  async function fill(): Promise<Value> {
    try {
      const value = await fetch();
      held = { value };
      return value;
    } finally {
      fetching = undefined;
    }
  }

  return {
    async get(signal) {
      signal.throwIfAborted();
      if (held !== undefined && isFresh(held.value)) return held.value;
      fetching ??= fill();
      return await untilAborted(fetching, signal);
    },
    drop(value) {
      if (held?.value === value) held = undefined;
    },
  };
}
