import type { Driver } from '#destinations/contract.ts';

/** Runs one call of a driver and returns its result. `count` is the number of objects that the call concerns. */
export type AroundCall = <Result>(
  verb: 'put' | 'remove' | 'inspect',
  count: number,
  call: () => Promise<Result>,
) => Promise<Result>;

/** Wraps a driver so that `around` runs each of its calls. `around` gets the verb but no object names. */
export function callsAround(driver: Driver, around: AroundCall): Driver {
  const { putMany, survey, list } = driver;
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
    ...(list && { list: (from, signal) => around('inspect', 1, () => list.call(driver, from, signal)) }),
    close: () => driver.close(),
  };
}

/**
 * An open driver that several attempts share. Closing it while in use would abort their calls, which would look like a failure
 * of the destination, so the last user closes it after it was retired.
 */
export class CountedDriver {
  /** The revision of the settings that it was opened with. */
  readonly revision: number;
  readonly #driver: Promise<Driver | undefined>;
  #users = 0;
  #retired = false;
  #closing: Promise<void> | undefined;

  constructor(driver: Promise<Driver | undefined>, revision: number) {
    this.#driver = driver;
    this.revision = revision;
  }

  /** A driver whose `close` returns it. Undefined when the destination no longer exists. @throws what opening it threw */
  async lend(): Promise<Driver | undefined> {
    this.#users += 1;
    const driver = await this.#driver;
    if (driver === undefined) return undefined;
    let lent = true;
    const close = async () => {
      if (lent) this.#giveBack();
      lent = false;
    };
    return { ...driver, close };
  }

  /** Closes the driver once it has no user left. Do not lend it after this. */
  retire(): void {
    this.#retired = true;
    if (this.#users === 0) void this.close();
  }

  /** Closes the driver once, even if it is in use. Never fails. */
  async close(): Promise<void> {
    this.#closing ??= this.#driver.then((driver) => driver?.close()).catch(() => {});
    await this.#closing;
  }

  /** The caller does not wait for the connections to close. */
  #giveBack(): void {
    this.#users -= 1;
    if (this.#retired && this.#users === 0) void this.close();
  }
}
