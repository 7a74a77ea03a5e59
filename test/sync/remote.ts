import { DestinationFailure, type Driver, type PutItem } from '../../lib/destinations/contract.ts';

/** What happens to a call. `lost`: it is carried out and its answer never comes. `crash`: the worker dies in it. */
export type Fate = 'well' | 'refused' | 'unheard' | 'lost' | 'crash' | 'crash after it';

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
  /** The worker has died: nothing more goes out, and nothing is written back. */
  readonly crashed: boolean;
  /** The next calls have these fates, those after them end well. The worker lives again. */
  next(fates: readonly Fate[]): void;
}

export function startRemote(): Remote {
  const objects = new Map<string, RemoteObject>();
  const changes: string[] = [];
  let fates: readonly Fate[] = [];
  let crashed = false;
  let versions = 0;

  /** Carries `work` out as the call's fate wants it. */
  async function call<T>(name: string, work: () => T): Promise<T> {
    const [fate = 'well', ...others] = fates;
    fates = others;
    if (crashed || fate === 'crash') crashed = true;
    if (crashed) throw new Error('the worker has died');
    if (fate === 'refused') throw new DestinationFailure('unavailable', `${name}: later`, { untouched: true });
    if (fate === 'unheard') throw new DestinationFailure('network', `${name}: no connection`);
    const answer = work();
    if (fate === 'lost') throw new DestinationFailure('timeout', `${name}: no answer`);
    if (fate === 'crash after it') crashed = true;
    if (crashed) throw new Error('the worker has died');
    return answer;
  }

  function put({ name, value, claim, mark }: PutItem) {
    const there = objects.get(name);
    if (there !== undefined && there.mark !== mark && claim !== 'adopt')
      throw new DestinationFailure('conflict', `${name} is somebody else's`, { untouched: true });
    versions += 1;
    objects.set(name, { value: value.reveal(), mark, version: `v${versions}` });
    changes.push(`put ${name}`);
    return { remoteVersion: `v${versions}` };
  }

  const driver: Driver = {
    put: (item) => call(item.name, () => put(item)),
    remove: ({ name, mark }) =>
      call(name, () => {
        changes.push(`remove ${name}`);
        if (objects.get(name)?.mark === mark) objects.delete(name);
      }),
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
    get crashed() {
      return crashed;
    },
    next(wanted) {
      fates = wanted;
      crashed = false;
    },
  };
}
