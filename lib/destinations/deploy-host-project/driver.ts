import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { openClient } from './client.ts';
import { environments, type fields } from './fields.ts';
import { definition } from './index.ts';
import { look, openList } from './look.ts';
import { openPut } from './put.ts';
import { remove } from './remove.ts';

/**
 * Where the record leaves no doubt, a new variable is made (which never overwrites) and one that we wrote is changed or removed by
 * its id, which nobody else's can have. Otherwise each verb first looks at the project's variables. The host has no look-up
 * by name, so calls that come at the same time share one listing; a listing is never kept for a later call, because acting
 * on an old one could overwrite what somebody else has made since.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const targets = environments.filter((environment) => connection.deployment_environments.includes(environment));
  const list = openList(client);
  const parts = { client, list, targets, log: context.log };
  return framed(definition, {
    putMany: openPut(client, targets, list),
    remove: (item, signal) => remove(parts, item, signal),
    look: (name, signal) => look(list, targets, name, signal),
    close: () => client.close(),
  });
};
