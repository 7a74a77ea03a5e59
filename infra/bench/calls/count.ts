import type { Operation, Shape } from '#destinations/facts.ts';

/** A service with a worker, and a destination type's stand-in that counts. */
export interface Counted {
  readonly type: string;
  /** Body of a destination that reaches the stand-in. */
  readonly destination: object;
  /** A request below `/v1/`. @throws Error unless it is a success */
  write(path: string, body: object): Promise<unknown>;
  /** Waits until nothing is pending. @throws Error when a push has failed */
  settled(): Promise<void>;
  /** Calls of the stand-in so far. */
  calls(): number;
}

const keysOf = (shape: Shape): readonly string[] =>
  Array.from({ length: shape === 'ten keys' ? 10 : 1 }, (_, index) => `key${index}`);

/** Counts the calls of each operation of one association, by the shape of its secret. */
export async function countCalls(counted: Counted, shape: Shape): Promise<Readonly<Record<Operation, number>>> {
  const { type, destination } = counted;
  const prefix = `calls-${shape.replace(' ', '-')}`;
  const granularity = shape === 'ten keys' ? 'secret-key' : 'secret-path';
  await counted.write(`sys/sync/destinations/${type}/${prefix}`, { ...destination, granularity });
  const data = Object.fromEntries(keysOf(shape).map((key) => [key, 'first']));
  const secret = (name: string, values: object) =>
    counted.write(`secret/data/${prefix}/${type}/${name}`, { data: values });
  const changeAssociation = (verb: 'set' | 'remove', name: string) =>
    counted.write(`sys/sync/destinations/${type}/${prefix}/associations/${verb}`, {
      mount: 'secret',
      secret_name: `${prefix}/${type}/${name}`,
    });
  const countedCalls = async (act: () => Promise<unknown>) => {
    await counted.settled();
    const before = counted.calls();
    await act();
    await counted.settled();
    return counted.calls() - before;
  };
  for (const name of ['warm', 'kept', 'removed']) await secret(name, data);
  // The first push of a destination also logs in, fetches public keys and connects.
  await changeAssociation('set', 'warm');
  const changed = { ...data, key0: 'second' };
  const calls = {
    'first push': await countedCalls(() => changeAssociation('set', 'kept')),
    change: await countedCalls(() => secret('kept', changed)),
    unchanged: await countedCalls(() => secret('kept', changed)),
  };
  // Another secret, because some systems cannot tell at once which of two versions of the same second is newer.
  await changeAssociation('set', 'removed');
  return { ...calls, removal: await countedCalls(() => changeAssociation('remove', 'removed')) };
}
