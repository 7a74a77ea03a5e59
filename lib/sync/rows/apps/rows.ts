import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { type AppError, badField, badRequest, invalid, type Word } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { AppAddresses, SharedCredential } from '#destinations/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import type { Page } from '#path/listing.ts';
import { addressesOf, openAppKey } from '../../drivers/app-key.ts';
import { sealedName } from '../../drivers/connection.ts';
import { beginMarkings } from '../../marking/begin.ts';
import { asWrite } from '../fields/forms.ts';
import { masked } from '../fields/mask.ts';
import { asksForPart, pageOf, positionFields, sizeOf } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';
import { type AppName, loadAppKey, lockApp, saveApp, usersOf } from './store.ts';

const fields = (credential: SharedCredential) => ({
  name: pathText(credential.help.name),
  app_id: text()
    .pipe(z.string().regex(/^[1-9]\d{0,15}$/, 'app_id must be the number of the app'))
    .meta({ description: credential.help.id }),
  private_key: text().meta({ description: 'Private key of the app in PEM form', sensitive: true }),
});

type Given = Readonly<Record<string, unknown>>;

/** The rows of the shared credentials of all destination types, each below its own path. */
export const appRows = (parts: SyncParts): readonly Row[] =>
  parts.definitions.flatMap(({ credential }) => (credential === undefined ? [] : rowsOf(parts, credential)));

function rowsOf(parts: SyncParts, credential: SharedCredential): readonly Row[] {
  const { path, help } = credential;
  const { name, ...rest } = fields(credential);
  return [
    {
      pattern: `sync/${path}/`,
      help: help.list,
      operations: {
        list: operation(positionFields, {
          summary: 'List apps',
          run: (page, { namespace }) =>
            asksForPart(page) ? part(parts, namespace.id, page) : list(parts, namespace.id),
        }),
      },
    },
    {
      pattern: `sync/${path}/:name`,
      help: help.one,
      operations: {
        read: operation(
          { name },
          { summary: 'Read an app', run: (input, context) => read(parts, credential, appOf(input, context)) },
        ),
        write: operation(
          { ...asWrite(credential.fields), name, ...rest },
          { summary: 'Configure an app', run: (input, context) => write(parts, credential, input, context) },
        ),
        delete: operation(
          { name },
          {
            summary: 'Delete the configuration of an app',
            run: (input, context) => remove(parts, credential, appOf(input, context)),
          },
        ),
      },
    },
  ];
}

const appOf = ({ name }: { readonly name: string }, { namespace }: Pick<RequestContext, 'namespace'>): AppName => ({
  namespaceId: namespace.id,
  name,
});

async function list(parts: SyncParts, namespaceId: string): Promise<Reply> {
  const apps = parts.store.db.selectFrom('repo_host_apps').select('name').where('namespace_id', '=', namespaceId);
  const rows = await apps.orderBy('name').execute();
  return rows.length === 0 ? undefined : { data: { keys: rows.map((row) => row.name) } };
}

/** A position is a name. */
async function part(parts: SyncParts, namespaceId: string, page: Page): Promise<Reply> {
  const apps = parts.store.db.selectFrom('repo_host_apps').select('name').where('namespace_id', '=', namespaceId);
  const after = apps.where('name', '>', page.after).orderBy('namespace_id').orderBy('name');
  const rows = await after.limit(sizeOf(page) + 1).execute();
  const { shown, more, warnings } = pageOf(rows, page, ({ name }) => name);
  return shown.length === 0 ? undefined : { data: { keys: shown.map(({ name }) => name), ...more }, warnings };
}

async function read(parts: SyncParts, credential: SharedCredential, app: AppName): Promise<Reply> {
  const apps = parts.store.db.selectFrom('repo_host_apps').selectAll().where('namespace_id', '=', app.namespaceId);
  const row = await apps.where('name', '=', app.name).executeTakeFirst();
  if (row === undefined) return undefined;
  const { app_id, fingerprint } = row;
  const { addresses } = openAppKey(parts.store, credential, sealedName(app.namespaceId, app.name), row.private_key);
  return { data: { app_id: Number(app_id), fingerprint, name: app.name, private_key: masked, ...addresses } };
}

/** Open drivers hold the old key: a new revision makes workers reopen them, and failed syncs are retried. */
async function write(
  parts: SyncParts,
  credential: SharedCredential,
  input: { readonly name: string; readonly app_id: string; readonly private_key: string } & Given,
  context: RequestContext,
): Promise<Reply> {
  const { app_id, private_key } = input;
  const app = appOf(input, context);
  const fingerprint = fingerprintOf(private_key);
  const marked = await parts.store.transaction(async (tx) => {
    const before = await loadAppKey(parts.store, credential, tx, app, 'update');
    const addresses = keptAddresses(before?.addresses, input);
    const problems = credential.refuse(addresses);
    if (problems.length > 0) throw invalid(problems);
    await saveApp(parts.store, credential, tx, {
      ...app,
      app_id,
      privateKey: new Secret(private_key),
      addresses,
      fingerprint,
    });
    const users = (await usersOf(parts, credential, tx, app)).map(({ id }) => id);
    await sql`update destinations set revision = revision + 1 where id = any(${users}::bigint[])`.execute(tx);
    return beginMarkings(tx, sql`id = any(${users}::bigint[])`, { reason: 'credential', forced: false });
  });
  const warnings = await parts.marker.begun(marked);
  return { ...(await read(parts, credential, app)), warnings };
}

/** The addresses where the app logs in. They stay unless the request changes them, since existing clients cannot send them. */
function keptAddresses(before: AppAddresses = {}, input: Given): AppAddresses {
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return addressesOf({ ...before, ...sent });
}

async function remove(parts: SyncParts, credential: SharedCredential, app: AppName): Promise<Reply> {
  await parts.store.transaction(async (tx) => {
    if (!(await lockApp(tx, app, 'update'))) return;
    const users = await usersOf(parts, credential, tx, app);
    if (users.length > 0) throw inUse(app.name, users);
    await tx
      .deleteFrom('repo_host_apps')
      .where('namespace_id', '=', app.namespaceId)
      .where('name', '=', app.name)
      .execute();
  });
  return undefined;
}

const inUse = (app: string, users: readonly { readonly type: string; readonly name: string }[]): AppError => {
  const shown = (word: Word) => users.map(({ type, name }) => `${word(type)}/${name}`).join(', ');
  return badRequest(
    (word) => `app ${JSON.stringify(app)} is in use by the destinations ${shown(word)}: change or delete these first`,
  );
};

/** SHA-256 over the DER of the public key, in the form that the hosts of such apps show. */
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
    throw badField('private_key', 'private_key cannot be read: it must be an RSA private key in PEM form');
  }
  if (key.asymmetricKeyType === 'rsa') return key;
  throw badField(
    'private_key',
    `private_key is of type ${key.asymmetricKeyType ?? 'unknown'}: it must be an RSA private key in PEM form`,
  );
}
