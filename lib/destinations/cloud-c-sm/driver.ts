import type { OpenDriver } from '../contract.ts';
import { framed } from '../frame/framed.ts';
import { newWriteTracker } from '../frame/verb/verb.ts';
import { openClient } from './client.ts';
import { explain } from './failure.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { look } from './look.ts';
import { destroyOlder } from './old-versions.ts';
import { put } from './put.ts';
import { toRemoteVersion } from './receipt.ts';
import { remove } from './remove.ts';
import { secretsOf } from './secrets.ts';

/**
 * Secrets in one project.
 *
 * - A put makes sure that the secret is there, ours, and with its labels, and then adds a version. If it ends in between, the next
 *   one completes it: the mark is among the labels.
 * - A repeated put whose answer was lost adds a second version of the same value: the service knows no request ids.
 * - Labels that others put on the secret stay.
 * - A removed secret is gone at once with all its versions; one that does not carry our mark stays.
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
    close: () => client.close(),
    explain,
  });
};
