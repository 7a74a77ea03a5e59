import type { Driver } from '../../destinations/contract.ts';

/** Runs one call of a driver and answers its result. `count`: how many objects the call is about. */
export type AroundCall = <Result>(
  verb: 'put' | 'remove' | 'inspect',
  count: number,
  call: () => Promise<Result>,
) => Promise<Result>;

/** A driver whose calls are run by `around`, which gets the verb and no name of an object. */
export function callsAround(driver: Driver, around: AroundCall): Driver {
  const { putMany, survey } = driver;
  return {
    ...driver,
    put: (item, signal) => around('put', 1, () => driver.put(item, signal)),
    remove: (item, signal) => around('remove', 1, () => driver.remove(item, signal)),
    inspect: (name, signal) => around('inspect', 1, () => driver.inspect(name, signal)),
    ...(putMany && {
      putMany: (items, signal) => around('put', items.length, () => putMany.call(driver, items, signal)),
    }),
    ...(survey && {
      survey: (names, signal) => around('inspect', names.length, () => survey.call(driver, names, signal)),
    }),
    close: () => driver.close(),
  };
}

/**
 * An open driver that several attempts use at once. Closing it would end their calls, which would look like a failure of the
 * destination: so once it is retired the last of them closes it.
 */
export class CountedDriver {
  /** Of the settings it was opened with. */
  readonly revision: number;
  readonly #driver: Promise<Driver | undefined>;
  #users = 0;
  #retired = false;
  #closing: Promise<void> | undefined;

  constructor(driver: Promise<Driver | undefined>, revision: number) {
    this.#driver = driver;
    this.revision = revision;
  }

  /** A driver whose `close` gives it back. Undefined: there is none. @throws what opening it threw */
  async lend(): Promise<Driver | undefined> {
    this.#users += 1;
    const driver = await this.#driver;
    if (driver === undefined) return undefined;
    let given = true;
    const close = async () => {
      if (given) this.#giveBack();
      given = false;
    };
    return { ...driver, close };
  }

  /** From now on nobody gets it. */
  retire(): void {
    this.#retired = true;
    if (this.#users === 0) void this.close();
  }

  /** Closes it, in use or not, once. It does not fail. */
  async close(): Promise<void> {
    this.#closing ??= this.#driver.then((driver) => driver?.close()).catch(() => {});
    await this.#closing;
  }

  /** Nobody waits for the end of its connections. */
  #giveBack(): void {
    this.#users -= 1;
    if (this.#retired && this.#users === 0) void this.close();
  }
}
