import type { Driver } from '../../destinations/contract.ts';

/** Runs one call of a driver and answers its result. `count`: how many objects the call is about. */
export type AroundCall = <Result>(
  verb: 'put' | 'remove' | 'inspect',
  count: number,
  call: () => Promise<Result>,
) => Promise<Result>;

/** A driver whose calls are run by `around`, which gets the verb and no name of an object. */
export function callsAround(driver: Driver, around: AroundCall): Driver {
  const { putMany } = driver;
  return {
    ...driver,
    put: (item, signal) => around('put', 1, () => driver.put(item, signal)),
    remove: (item, signal) => around('remove', 1, () => driver.remove(item, signal)),
    inspect: (name, signal) => around('inspect', 1, () => driver.inspect(name, signal)),
    ...(putMany && {
      putMany: (items, signal) => around('put', items.length, () => putMany.call(driver, items, signal)),
    }),
    close: () => driver.close(),
  };
}
