import type { Inspection, ListPage, OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { type List, openList } from '../frame/listing.ts';
import { unknownIfForbidden } from '../frame/rules/found.ts';
import { permissionsOf } from './check.ts';
import { type Client, openClient } from './client/client.ts';
import type { fields } from './fields/fields.ts';
import type { VariableRecord } from './fields/record.ts';
import { targetOf } from './fields/target.ts';
import { definition } from './index.ts';
import { openPut } from './put/put.ts';
import { isOfSetting, type Setting, settingOf } from './put/setting.ts';
import { remove } from './remove.ts';

/**
 * Where the record is certain, a new variable is created (which never overwrites) and an existing one is changed or removed by its
 * id, which no other variable can have. Otherwise each verb first looks at the variables. The host has no look-up by name, so
 * concurrent calls share one listing, which is never kept for a later call.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const target = targetOf(connection);
  const setting = settingOf(connection);
  const client = openClient(connection, target, context);
  const list = openList(() => client.list());
  const parts = { client, list, target, setting, log: context.log };
  return framed(definition, {
    put: openPut(parts),
    remove: (item, signal) => remove(parts, item, signal),
    look: (name, signal) => look(list, setting, name, signal),
    list: ({ after }, signal) => listPage(client, setting, after, signal),
    permissions: permissionsOf(client, target),
    close: () => client.close(),
  });
};

/** `inspect` of a driver. */
async function look(
  list: List<VariableRecord>,
  setting: Setting,
  name: string,
  signal: AbortSignal,
): Promise<Inspection | undefined | 'unknown'> {
  const records = await list(signal).catch(unknownIfForbidden);
  if (records === 'unknown') return records;
  const present = records.filter((record) => record.name === name && record.category === setting.category);
  const [record] = present;
  return record && { remoteVersion: record.version, mark: record.mark, differs: !isOfSetting(record, setting) };
}

/** A page of the variables that a look would find. The host cannot select by name. `after` is the number of the page. */
async function listPage(
  client: Client,
  setting: Setting,
  after: string | null,
  signal: AbortSignal,
): Promise<ListPage> {
  const { records, next } = await client.page(Number(after ?? 1), signal);
  const present = records.filter(({ category }) => category === setting.category);
  const objects = present.map((record) => {
    const { name, version, mark } = record;
    return { name, remoteVersion: version, changedAt: null, mark, differs: !isOfSetting(record, setting) };
  });
  return { objects, after: next === undefined ? null : String(next) };
}
