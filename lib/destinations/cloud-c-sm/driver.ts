import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { newWriteTracker } from '../frame/verb/verb.ts';
import { permissionsOf } from './check.ts';
import { openClient } from './client/client.ts';
import { explain } from './failure.ts';
import type { fields } from './fields/fields.ts';
import { definition } from './index.ts';
import { list, look } from './look/look.ts';
import { toRemoteVersion } from './look/receipt.ts';
import { secretsOf } from './look/secrets.ts';
import { destroyOlder, put } from './put/put.ts';
import { remove } from './remove.ts';

/**
 * Secrets in one project.
 *
 * - A put makes sure that the secret exists, is ours and has its labels, and then adds a version. If it ends in between, the next
 *   put recognises the secret by the mark among the labels and completes it.
 * - A repeated put after a lost answer adds a second version of the same value: the service has no request ids.
 * - Labels that others set on the secret stay.
 * - A removal deletes the secret with all its versions at once; a secret without our mark stays.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  return framed(definition, {
    async put(item, tracker, signal) {
      const secrets = secretsOf(client, signal, tracker);
      const { number, etag } = await put(secrets, item, connection);
      if (connection.destroy_old_versions) await destroyOlder(secrets, item.name, number, context.log);
      return { remoteVersion: toRemoteVersion(number, etag) };
    },
    remove: (item, signal) => remove(secretsOf(client, signal, newWriteTracker()), item, context.log),
    look: (name, signal) => look(secretsOf(client, signal, newWriteTracker()), name),
    list: ({ prefix, after }, signal) => list(secretsOf(client, signal, newWriteTracker()), prefix, after),
    permissions: permissionsOf(client, connection),
    close: () => client.close(),
    explain,
  });
};
