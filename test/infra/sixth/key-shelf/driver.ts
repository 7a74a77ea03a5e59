import {
  DestinationFailure,
  type Driver,
  type OpenDriver,
  type PutItem,
  type PutReceipt,
} from '../../../../lib/destinations/contract.ts';
import { type Client, type Item, openClient } from './client.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { names } from './names.ts';

/** What the record says is tried first; where it is wrong, or there is none, a look says what is there. */
export const openDriver: OpenDriver<typeof fields> = (connection, context): Driver => {
  const client = openClient(connection, context);
  return {
    put: async (item, signal) => {
      refuseUnfit(item);
      return verb(`write item ${item.name}`, signal, () => put(client, item, signal));
    },
    remove: ({ name, mark, remoteVersion, asRecorded }, signal) =>
      verb(`remove item ${name}`, signal, async () => {
        if (asRecorded === true && remoteVersion !== null && (await client.remove(name, remoteVersion, signal))) return;
        const found = await client.look(name, signal);
        if (found?.mark === mark) await client.remove(name, found.version, signal);
      }),
    inspect: (name, signal) =>
      verb(`look at item ${name}`, signal, async () => {
        const found = await client.look(name, signal);
        return found && { remoteVersion: found.version, mark: found.mark };
      }).catch((error: unknown) => {
        if (error instanceof DestinationFailure && error.kind === 'permission') return 'unknown' as const;
        throw error;
      }),
    close: () => client.close(),
  };
};

async function put(client: Client, item: PutItem, signal: AbortSignal): Promise<PutReceipt> {
  const { name, mark, claim } = item;
  const write = async (on: string) => {
    const written = await client.put(name, { value: item.value.reveal(), mark }, on, signal);
    return written && { remoteVersion: written.version };
  };
  const recorded = claim === 'create' ? 'none' : item.remoteVersion;
  const first = item.asRecorded && recorded !== null ? await write(recorded) : undefined;
  if (first !== undefined) return first;
  const found = await client.look(name, signal).catch((error: unknown) => {
    throw error instanceof DestinationFailure ? error.again(error.message, { untouched: true }) : error;
  });
  if (claim === 'create' && isForeign(found, mark)) throw conflict(name);
  const second = await write(found?.version ?? 'none');
  if (second !== undefined) return second;
  throw new DestinationFailure('unavailable', `cannot write item ${name}: somebody else writes it now`, {
    untouched: true,
  });
}

const isForeign = (found: Item | undefined, mark: string): boolean => found !== undefined && found.mark !== mark;

const conflict = (name: string): DestinationFailure =>
  new DestinationFailure('conflict', `cannot write item ${name}: there is one that is not ours`, { untouched: true });

/** @throws DestinationFailure of kind `name` or `too-large` */
function refuseUnfit({ name, value }: PutItem): void {
  const why = names.refuse(name);
  if (why !== undefined) throw new DestinationFailure('name', `cannot write item ${name}: ${why}`, { untouched: true });
  if (Buffer.byteLength(value.reveal()) <= definition.valueBytesMax) return;
  const rule = `at most ${definition.valueBytesMax} bytes are allowed`;
  throw new DestinationFailure('too-large', `cannot write item ${name}: ${rule}`, { untouched: true });
}

async function verb<T>(action: string, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw new DestinationFailure('timeout', `cannot ${action}: the operation was ended`);
  return run();
}
