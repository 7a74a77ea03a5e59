import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { openClient } from './client.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { locate } from './location.ts';
import { inspect } from './look.ts';
import { openPut } from './put.ts';
import { remove } from './remove.ts';

/**
 * Secrets of one location. The host gives no value back and keeps no mark: `create` goes by the time a secret was made, and
 * a secret's version is the time of its last change (see versions.ts). There is no conditional put, so a secret that somebody else makes
 * between our look and our put is overwritten.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const location = locate(connection);
  return framed(definition, {
    put: openPut(connection, location, client, context.clock),
    remove: ({ name }, signal) => remove(client, location, context.log, name, signal),
    look: (name, signal) => inspect(client, location, name, signal),
    close: () => client.close(),
  });
};
