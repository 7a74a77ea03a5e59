import type { Inspection, OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { permissionsOf } from './check.ts';
import { type Client, followed, openClient } from './client/client.ts';
import { explain } from './failure.ts';
import type { fields } from './fields/fields.ts';
import { definition } from './index.ts';
import { list } from './look/list.ts';
import { Denied, look } from './look/look.ts';
import { survey } from './look/survey.ts';
import { newPut } from './put/put.ts';
import { remove } from './remove.ts';

/**
 * Secrets in one vault.
 *
 * - A put makes a new, enabled version, even if the secret was disabled: synced secrets are meant to be used.
 *   The vault has no conditional write, so another client can still write between the look of a create and its put.
 * - A name that a deleted secret still holds is freed first: by recovery, or by a purge if `purge_on_delete` is set.
 * - A removed secret stays recoverable unless `purge_on_delete` is set; its tags show that it was released. A secret
 *   that is not ours stays (see remove.ts).
 * - A repeated put after a lost answer makes one more version.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const put = newPut(connection.purge_on_delete);
  return framed(definition, {
    put: (item, tracker, signal) => put(followed(client, tracker), item, signal),
    remove: (item, signal) => remove(client, item, connection.purge_on_delete, context.log, signal),
    look: (name, signal) => inspect(client, name, signal),
    survey: (names, signal) => survey(client, names, signal),
    list: (from, signal) => list(client, from, signal),
    permissions: permissionsOf(client, connection),
    close: async () => client.close(),
    explain,
  });
};

async function inspect(client: Client, name: string, signal: AbortSignal): Promise<Inspection | undefined | 'unknown'> {
  const found = await look(client, name, signal);
  if (found === undefined) return undefined;
  if (found instanceof Denied) return 'unknown';
  const { released: _released, ...inspection } = found;
  return inspection;
}
