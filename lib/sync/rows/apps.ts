import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { badRequest } from '../../core/errors.ts';
import { pathText, text } from '../../path/fields.ts';
import { operation, type Reply, type Row } from '../../path/row.ts';
import { openConnection } from '../drivers.ts';
import { markAll } from '../requeue.ts';
import { masked } from './destination-fields.ts';
import type { SyncParts } from './parts.ts';

const name = { name: pathText('Name of the app, as configured at the repository host') };

const fields = {
  ...name,
  app_id: text()
    .pipe(z.string().regex(/^[1-9]\d{0,15}$/, 'app_id is the number of the app'))
    .meta({ description: 'Number of the app at the repository host' }),
  private_key: text().meta({ description: 'Private key of the app in PEM form', sensitive: true }),
};

/** `sys/sync/github-apps` (specification, sync document 4.5). */
export function appRows(parts: SyncParts): readonly Row[] {
  return [
    {
      pattern: 'sync/github-apps/',
      help: 'The configured apps of repository hosts.',
      operations: { list: operation({}, { summary: 'List apps', run: () => list(parts) }) },
    },
    {
      pattern: 'sync/github-apps/:name',
      help: 'An app that destinations of type repo-host may log in with.',
      operations: {
        read: operation(name, { summary: 'Read an app', run: (input) => read(parts, input.name) }),
        write: operation(fields, { summary: 'Configure an app', run: (input) => write(parts, input) }),
        delete: operation(name, {
          summary: 'Delete the configuration of an app',
          run: (input) => remove(parts, input.name),
        }),
      },
    },
  ];
}

async function list(parts: SyncParts): Promise<Reply> {
  const rows = await parts.store.db.selectFrom('repo_host_apps').select('name').orderBy('name').execute();
  return rows.length === 0 ? undefined : { data: { keys: rows.map((row) => row.name) } };
}

async function read(parts: SyncParts, app: string): Promise<Reply> {
  const row = await parts.store.db.selectFrom('repo_host_apps').selectAll().where('name', '=', app).executeTakeFirst();
  if (row === undefined) return undefined;
  const { app_id, fingerprint } = row;
  return { data: { app_id: Number(app_id), fingerprint, name: app, private_key: masked } };
}

async function write(
  parts: SyncParts,
  input: { readonly name: string; readonly app_id: string; readonly private_key: string },
) {
  const fingerprint = fingerprintOf(input.private_key);
  const sealed = parts.store.barrier.seal(input.private_key, `repo_host_apps/${input.name}`);
  const columns = { app_id: input.app_id, private_key: sealed, fingerprint };
  await parts.store.db
    .insertInto('repo_host_apps')
    .values({ name: input.name, ...columns })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(columns))
    .execute();
  const users = await usersOf(parts, input.name);
  // Drivers that are open hold the old key: a new revision makes workers open them anew.
  await sql`update destinations set revision = revision + 1 where id = any(${users.ids}::bigint[])`.execute(
    parts.store.db,
  );
  await parts.changed(
    await markAll(parts.store, sql`destination_id = any(${users.ids}::bigint[]) and desired = 'present'`),
  );
  return read(parts, input.name);
}

async function remove(parts: SyncParts, app: string): Promise<Reply> {
  const users = await usersOf(parts, app);
  if (users.names.length > 0) {
    throw badRequest(
      `app ${JSON.stringify(app)} is in use by the destinations ${users.names.join(', ')}: change or delete these first`,
    );
  }
  await parts.store.db.deleteFrom('repo_host_apps').where('name', '=', app).execute();
  return undefined;
}

/** Destinations that log in with the app. The name is in their sealed details. */
async function usersOf(
  parts: SyncParts,
  app: string,
): Promise<{ readonly ids: readonly string[]; readonly names: readonly string[] }> {
  const rows = await parts.store.db
    .selectFrom('destinations')
    .select(['id', 'type', 'name', 'connection'])
    .where(
      'type',
      'in',
      parts.definitions.filter((definition) => 'app_name' in definition.fields).map(({ type }) => type),
    )
    .execute();
  const users = rows.filter(
    (row) => openConnection(parts.store, row.type, row.name, row.connection)['app_name'] === app,
  );
  return { ids: users.map((row) => row.id), names: users.map((row) => row.name) };
}

/** SHA-256 over the public key's DER, in the form that the repository host shows. */
function fingerprintOf(pem: string): string {
  const key = createPublicKey(readKey(pem));
  const der = key.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64')}`;
}

function readKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The cause would quote the key.
    throw badRequest('private_key cannot be read: it takes an RSA private key in PEM form');
  }
  if (key.asymmetricKeyType === 'rsa') return key;
  throw badRequest(
    `private_key is of type ${key.asymmetricKeyType ?? 'unknown'}: it takes an RSA private key in PEM form`,
  );
}
