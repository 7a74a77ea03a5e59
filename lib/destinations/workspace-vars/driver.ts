import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { openClient } from './client.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { look, openList } from './look.ts';
import { openPut } from './put.ts';
import { remove } from './remove.ts';
import { settingOf } from './setting.ts';
import { targetOf } from './target.ts';

/**
 * Where the record leaves no doubt, a new variable is made (which never overwrites) and one that we wrote is changed or removed by
 * its id, which nobody else's can have. Otherwise each verb first looks at the variables. The host has no look-up by name, so
 * calls that come at the same time share one listing; a listing is never kept for a later call.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const target = targetOf(connection);
  const setting = settingOf(connection);
  const client = openClient(connection, target, context);
  const list = openList(client);
  const parts = { client, list, target, setting, log: context.log };
  return framed(definition, {
    put: openPut(parts),
    remove: (item, signal) => remove(parts, item, signal),
    look: (name, signal) => look(list, setting, name, signal),
    close: () => client.close(),
  });
};
