import { DestinationFailure, type Driver, type PutItem } from '../../lib/destinations/contract.ts';

/**
 * What happens to a call. `lost`: it is carried out and its answer never comes. `held`: it is given up, and carried out when
 * `deliver` is called. `hangs`: so is this one, and it is given up only when its attempt is stopped. `crash`: the worker dies in it. `crash while held`: and it is carried out when `deliver` is called.
 */
export type Fate =
  | 'well'
  | 'refused'
  | 'throttled'
  | 'unheard'
  | 'lost'
  | 'held'
  | 'hangs'
  | 'crash'
  | 'crash after it'
  | 'crash while held';

export interface RemoteObject {
  readonly value: string;
  /** Null: somebody else's. */
  readonly mark: string | null;
  readonly version: string;
}

/** An external system in memory that keeps to the contract of drivers, with a fate for each call. */
export interface Remote {
  readonly driver: Driver;
  readonly objects: Map<string, RemoteObject>;
  /** Puts and removes so far. */
  readonly changes: readonly string[];
  /** Calls so far, of any kind. */
  readonly calls: number;
  /** The worker has died: nothing more goes out, and nothing is written back. */
  readonly crashed: boolean;
  /** The next calls have these fates, those after them end well. The worker lives again. */
  next(fates: readonly Fate[]): void;
  /** Calls that hang. */
  readonly waiting: number;
  /** Carries out what was held, in the order in which it was sent. */
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

  /** Carries `work` out as the call's fate wants it. `signal`: of a call that changes something. */
  async function call<T>(name: string, work: () => T, signal?: AbortSignal): Promise<T> {
    const [fate = 'well', ...others] = fates;
    fates = others;
    calls += 1;
    if (!crashed && signal !== undefined && late.has(fate)) held.push(work);
    if (crashed || fate === 'crash' || fate === 'crash while held') crashed = true;
    if (crashed) throw new Error('the worker has died');
    if (fate === 'refused') throw new DestinationFailure('unavailable', `${name}: later`, { untouched: true });
    if (fate === 'throttled') throw new DestinationFailure('throttled', `${name}: slower`, { untouched: true });
    if (fate === 'unheard') throw new DestinationFailure('network', `${name}: no connection`);
    if (fate === 'hangs') {
      waiting += 1;
      await untilAborted(signal);
      waiting -= 1;
    }
    if (fate === 'held' || fate === 'hangs') throw new DestinationFailure('timeout', `${name}: given up`);
    const answer = work();
    if (fate === 'lost') throw new DestinationFailure('timeout', `${name}: no answer`);
    if (fate === 'crash after it') crashed = true;
    if (crashed) throw new Error('the worker has died');
    return answer;
  }

  function put({ name, value, mode, mark }: PutItem) {
    const there = objects.get(name);
    if (there !== undefined && there.mark !== mark && mode !== 'adopt')
      throw new DestinationFailure('conflict', `${name} is somebody else's`, { untouched: true });
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
