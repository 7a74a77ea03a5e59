import { DestinationFailure, type Driver, type PutItem } from '#destinations/contract.ts';

/**
 * What happens to a call. `lost`: it is applied, but its answer never arrives. `held`: it times out, and is applied when `deliver`
 * is called. `hangs`: like `held`, but it ends only when its attempt is stopped. `crash`: the worker dies during the call. `crash
 * while held`: the worker dies, and the call is applied when `deliver` is called.
 */
export type Fate =
  | 'succeeds'
  | 'refused'
  | 'throttled'
  | 'unreachable'
  | 'lost'
  | 'held'
  | 'hangs'
  | 'crash'
  | 'crash after'
  | 'crash while held';

export interface RemoteObject {
  readonly value: string;
  /** Null for an object of another client. */
  readonly mark: string | null;
  readonly version: string;
}

/** An external system in memory that follows the contract of drivers, with a fate for each call. */
export interface Remote {
  readonly driver: Driver;
  readonly objects: Map<string, RemoteObject>;
  /** Puts and removes so far. */
  readonly changes: readonly string[];
  /** Calls so far, of any kind. */
  readonly calls: number;
  /** The worker has died: it makes no further call and stores no outcome. */
  readonly crashed: boolean;
  /** Sets the fates of the next calls; calls after them succeed. Revives the worker. */
  next(fates: readonly Fate[]): void;
  /** The number of calls that hang. */
  readonly waiting: number;
  /** Applies the held calls in the order in which they were sent. */
  deliver(): void;
}

export function startRemote(): Remote {
  const objects = new Map<string, RemoteObject>();
  const changes: string[] = [];
  let fates: readonly Fate[] = [];
  const held: (() => unknown)[] = [];
  let crashed = false;
  let versions = 0;
  let calls = 0;
  let waiting = 0;

  /** Runs `work` according to the fate of the call. Only calls that change something pass `signal`. */
  async function call<T>(name: string, work: () => T, signal?: AbortSignal): Promise<T> {
    const [fate = 'succeeds', ...others] = fates;
    fates = others;
    calls += 1;
    if (!crashed && signal !== undefined && late.has(fate)) held.push(work);
    if (crashed || fate === 'crash' || fate === 'crash while held') crashed = true;
    if (crashed) throw new Error('the worker has died');
    if (fate === 'refused') throw new DestinationFailure('unavailable', `${name}: later`, { untouched: true });
    if (fate === 'throttled') throw new DestinationFailure('throttled', `${name}: slower`, { untouched: true });
    if (fate === 'unreachable') throw new DestinationFailure('network', `${name}: no connection`);
    if (fate === 'hangs') {
      waiting += 1;
      await untilAborted(signal);
      waiting -= 1;
    }
    if (fate === 'held' || fate === 'hangs') throw new DestinationFailure('timeout', `${name}: given up`);
    const answer = work();
    if (fate === 'lost') throw new DestinationFailure('timeout', `${name}: no answer`);
    if (fate === 'crash after') crashed = true;
    if (crashed) throw new Error('the worker has died');
    return answer;
  }

  function put({ name, value, mode, mark }: PutItem) {
    const there = objects.get(name);
    if (there !== undefined && there.mark !== mark && mode !== 'adopt')
      throw new DestinationFailure('conflict', `${name} belongs to another client`, { untouched: true });
    versions += 1;
    objects.set(name, { value: value.reveal(), mark, version: `v${versions}` });
    changes.push(`put ${name}`);
    return { remoteVersion: `v${versions}` };
  }

  const driver: Driver = {
    put: (item, signal) => call(item.name, () => put(item), signal),
    remove: ({ name, mark }, signal) =>
      call(
        name,
        () => {
          changes.push(`remove ${name}`);
          if (objects.get(name)?.mark === mark) objects.delete(name);
        },
        signal,
      ),
    inspect: (name) =>
      call(name, () => {
        const there = objects.get(name);
        return there && { remoteVersion: there.version, mark: there.mark };
      }),
    check: async () => [],
    close: async () => {},
  };
  return {
    driver,
    objects,
    changes,
    get calls() {
      return calls;
    },
    get crashed() {
      return crashed;
    },
    get waiting() {
      return waiting;
    },
    next(wanted) {
      fates = wanted;
      crashed = false;
    },
    deliver() {
      for (const work of held.splice(0)) {
        try {
          work();
        } catch {
          // A conflict, which is not reported.
        }
      }
    },
  };
}

const late: ReadonlySet<Fate> = new Set<Fate>(['held', 'hangs', 'crash while held']);

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal === undefined || signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
