import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { openClient } from './client/client.ts';
import { permissionsOf } from './client/permissions.ts';
import type { fields } from './fields/fields.ts';
import { locate } from './fields/location.ts';
import { definition } from './index.ts';
import { inspect, list } from './look.ts';
import { openPut } from './put/put.ts';
import { remove } from './remove.ts';

/**
 * Secrets of one location. The host returns no values and stores no marks: `create` decides by the time at which a secret was
 * created, and a secret's version is the time of its last change (see versions.ts). The host has no conditional put, so a secret
 * that another client creates between our look and our put is overwritten.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const location = locate(connection);
  return framed(definition, {
    put: openPut(connection, location, client, context.clock),
    remove: ({ name }, signal) => remove(client, location, context.log, name, signal),
    look: (name, signal) => inspect(client, location, name, signal),
    list: ({ after }, signal) => list(client, location, after, signal),
    permissions: permissionsOf(client, connection, location),
    close: () => client.close(),
  });
};
