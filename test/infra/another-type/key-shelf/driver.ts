import { DestinationFailure, type OpenDriver, type PutItem, type PutReceipt } from '#destinations/contract.ts';
import { framed } from '#destinations/frame/framed.ts';
import { foreignObject } from '#destinations/frame/rules/found.ts';
import type { WriteTracker } from '#destinations/frame/verb/verb.ts';
import { type Client, openClient } from './client.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';

/** Trusts the record first. When the record is wrong or missing, reads the item. */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  return framed(definition, {
    put: (item, tracker, signal) => put(client, item, tracker, signal),
    async remove({ name, mark, remoteVersion, asRecorded }, signal) {
      if (asRecorded === true && remoteVersion !== null && (await client.remove(name, remoteVersion, signal))) return;
      const found = await client.look(name, signal);
      if (found?.mark === mark) await client.remove(name, found.version, signal);
    },
    look: (name, signal) =>
      client.look(name, signal).then(
        (found) => found && { remoteVersion: found.version, mark: found.mark },
        (error: unknown) => {
          if (error instanceof DestinationFailure && error.kind === 'permission') return 'unknown' as const;
          throw error;
        },
      ),
    permissions: [{ name: 'read', test: (name, signal) => client.look(name, signal) }, { name: 'write' }],
    close: () => client.close(),
  });
};

async function put(client: Client, item: PutItem, tracker: WriteTracker, signal: AbortSignal): Promise<PutReceipt> {
  const { name, mark, mode } = item;
  const write = async (on: string) => {
    const body = { value: item.value.reveal(), mark };
    const written = await tracker.write(() => client.put(name, body, on, signal));
    return { remoteVersion: written.version };
  };
  const recorded = mode === 'create' ? 'none' : item.remoteVersion;
  if (item.asRecorded && recorded !== null) {
    const first = await write(recorded).catch(unlessConflict);
    if (first !== undefined) return first;
  }
  const found = await client.look(name, signal);
  if (mode !== 'adopt' && found !== undefined && found.mark !== mark) throw foreignObject('an item of this name');
  return write(found?.version ?? 'none');
}

function unlessConflict(error: unknown): undefined {
  if (!(error instanceof DestinationFailure) || error.kind !== 'conflict') throw error;
}
