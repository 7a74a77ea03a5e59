import type { Inspection, ListPage, OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { type List, openList } from '../frame/listing.ts';
import { unknownIfForbidden } from '../frame/rules/found.ts';
import { permissionsOf } from './check.ts';
import { type Client, openClient } from './client/client.ts';
import type { VariableRecord } from './client/record.ts';
import { environments, type fields } from './fields.ts';
import { definition } from './index.ts';
import { overlaps } from './put/plan.ts';
import { openPut } from './put/put.ts';
import { remove } from './remove.ts';

/**
 * Where the record is certain, a new variable is created (which never overwrites) and an existing one is changed or removed by its
 * id, which no other variable can have. Otherwise each verb first looks at the project's variables. The host has no look-up by
 * name, so concurrent calls share one listing. A listing is never kept for a later call, because acting on an old one could
 * overwrite a variable that was created since.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const targets = environments.filter((environment) => connection.deployment_environments.includes(environment));
  const list = openList(() => client.list());
  const parts = { client, list, targets, log: context.log };
  return framed(definition, {
    putMany: openPut(client, targets, list),
    remove: (item, signal) => remove(parts, item, signal),
    look: (name, signal) => look(list, targets, name, signal),
    list: ({ after }, signal) => listPage(client, targets, after, signal),
    permissions: permissionsOf(client),
    close: () => client.close(),
  });
};

/** `inspect` of a driver. */
async function look(
  list: List<VariableRecord>,
  targets: readonly string[],
  name: string,
  signal: AbortSignal,
): Promise<Inspection | undefined | 'unknown'> {
  const records = await list(signal).catch(unknownIfForbidden);
  if (records === 'unknown') return records;
  const present = records.filter((record) => record.name === name && record.branch === null);
  const shared = present.filter((record) => overlaps(record, targets));
  const record = shared.find(({ mark }) => mark !== null) ?? shared[0];
  return record && { remoteVersion: record.version, mark: record.mark };
}

/** A page of the variables that a look would find. The host cannot select by name. */
async function listPage(
  client: Client,
  targets: readonly string[],
  after: string | null,
  signal: AbortSignal,
): Promise<ListPage> {
  const { records, next } = await client.page(after, signal);
  const present = records.filter((record) => record.branch === null && overlaps(record, targets));
  const objects = present.map(({ name, version, changedMs, mark }) => {
    return { name, remoteVersion: version, changedAt: changedMs === null ? null : new Date(changedMs), mark };
  });
  return { objects, after: next };
}
