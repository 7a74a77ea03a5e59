import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allVerbs } from '#infra/generate/tables/commands.ts';
import { standIn } from '../agent/agent-of.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/auth/openid-provider.ts';
import { type Bundled, bundledProgram } from '../support/cli/bundled.ts';
import { serviceOf } from '../support/flow/open-service.ts';
import { shamirService } from '../support/flow/shamir.ts';
import { shortly } from '../support/redis/wait.ts';
import { receiver } from '../support/servers/receiver.ts';
import { md5Of, stateText } from '../workspaces/support/files.ts';

const service = serviceOf(['cloud-a-sm']);
const uninitialised = shamirService({}, 'not-yet');
const sealed = shamirService();

let program: Bundled;
let provider: OpenIdProvider;
let environment: Readonly<Record<string, string>>;

const inFolder = (name: string, text: string) => writeFile(join(program.folder, name), text);

async function newToken(): Promise<string> {
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['root'], ttl: '2h' });
  return (body['auth'] as { client_token: string }).client_token;
}

/** Ada, the role of a pipeline, and the role of a provider's tokens. */
async function prepareLogins() {
  for (const type of ['userpass', 'approle', 'jwt']) await service.api.write(`sys/auth/${type}`, { type });
  await service.api.write('auth/userpass/users/ada', { password: 'correct horse' });
  await inFolder('password.txt', 'correct horse\n');
  await service.api.write('auth/approle/role/ci', {});
  const { role_id } = await service.api.read<{ role_id: string }>('auth/approle/role/ci/role-id');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await service.api.write('auth/jwt/config', {
    jwt_validation_pubkeys: [publicKey.export({ type: 'spki', format: 'pem' })],
  });
  await service.api.write('auth/jwt/role/deploy', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['keyferry'],
  });
  const jwt = new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setSubject('pipeline')
    .setAudience('keyferry');
  await inFolder('token.jwt', await jwt.setExpirationTime('1h').sign(privateKey));
  return { ROLE_ID: role_id };
}

/** A role for logins at a provider, and a browser of which the user logs in. */
async function prepareBrowser() {
  const listener = 'http://localhost:8250/oidc/callback';
  provider = await startOpenIdProvider([listener], { application_type: 'native' });
  await service.api.write('sys/auth/oidc', { type: 'oidc' });
  await service.api.write('auth/oidc/config', {
    oidc_discovery_url: provider.address,
    oidc_discovery_ca_pem: provider.certificate,
    oidc_client_id: provider.clientId,
    oidc_client_secret: provider.clientSecret,
  });
  await service.api.write('auth/oidc/role/people', { user_claim: 'sub', allowed_redirect_uris: listener });
  await inFolder('provider.pem', provider.certificate);
  const user = join(import.meta.dirname, '../docs/log-in.ts');
  const browser = `#!/bin/sh\ncurl -s "$('${process.execPath}' '${user}' "$1" '${join(program.folder, 'provider.pem')}')"\n`;
  for (const name of ['xdg-open', 'open']) await writeFile(join(program.folder, 'bin', name), browser, { mode: 0o755 });
}

beforeAll(async () => {
  program = await bundledProgram();
  environment = { KEYFERRY_ADDR: service.address, ...(await prepareLogins()) };
  await prepareBrowser();
});
/** Batches go on in the background of the sweep. */
let isOver = false;
const sweeping = async () => {
  for (; !isOver; await shortly()) await service.sweep();
};
let sweeps: Promise<void> | undefined;
beforeAll(() => {
  sweeps = sweeping();
});

afterAll(async () => {
  isOver = true;
  await sweeps;
  await program.close();
  provider.close();
});

const data = 'secret/data/my-app';
const prod = 'sys/sync/destinations/cloud-a-sm/prod';

/** Two versions of the secret of the examples, and one in a folder. */
async function secrets() {
  await service.ask('DELETE', 'secret/metadata/my-app');
  for (const password of ['first', 'second']) await service.api.write(data, { data: { user: 'app', password } });
  await service.api.write('secret/data/team-a/db', { data: { password: 'third' } });
}

async function destination() {
  await secrets();
  await service.api.write(prod, service.fake('cloud-a-sm').destination);
}

async function association() {
  await destination();
  await service.api.write(`${prod}/associations/set`, { mount: 'secret', secret_name: 'my-app' });
}

async function accessor() {
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'] });
  return { ACCESSOR: (body['auth'] as { accessor: string }).accessor };
}

async function batch() {
  await association();
  const { id } = await service.api.write<{ id: string }>('sys/sync/batches', { action: 'force', all: true });
  return { BATCH: id };
}

async function call(method: string, path: string, resource: object | undefined) {
  const reply = await fetch(`${service.address}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${service.rootToken}`, 'content-type': 'application/vnd.api+json' },
    body: method === 'GET' ? null : JSON.stringify(resource === undefined ? {} : { data: resource }),
  });
  return (await reply.json()) as { data: { id: string; attributes: { token?: string } } };
}

const organization = () =>
  call('POST', '/organizations', { type: 'organizations', attributes: { name: 'acme', email: 'ops@example.com' } });

/** The token of an agent pool, and an engine on the path. */
async function agentPool() {
  await organization();
  const { data } = await call('POST', '/organizations/acme/agent-pools', {
    type: 'agent-pools',
    attributes: { name: 'machines' },
  });
  const description = { type: 'authentication-tokens', attributes: { description: 'an agent' } };
  const made = await call('POST', `/agent-pools/${data.id}/authentication-tokens`, description);
  await inFolder('pool-token.txt', `${made.data.attributes.token}\n`);
  return { PATH: `${join(program.folder, 'bin')}:${standIn}:${process.env['PATH']}` };
}

/** A workspace with a state, locked or not. */
async function workspace({ locked }: { readonly locked: boolean }) {
  await organization();
  const made = '/organizations/acme/workspaces';
  await call('POST', made, { type: 'workspaces', attributes: { name: 'network', 'execution-mode': 'local' } });
  const { data } = await call('GET', `${made}/network`, undefined);
  await call('POST', `/workspaces/${data.id}/actions/lock`, undefined);
  const text = stateText();
  const attributes = { serial: 1, lineage: 'l-1', md5: md5Of(text), state: Buffer.from(text).toString('base64') };
  await call('POST', `/workspaces/${data.id}/state-versions`, { type: 'state-versions', attributes });
  if (!locked) await call('POST', `/workspaces/${data.id}/actions/force-unlock`, undefined);
}

async function rule() {
  await destination();
  const fields = { mount: 'secret', glob: '*/db', destinations: ['cloud-a-sm/prod'] };
  await service.ask('POST', 'sys/sync/rules/databases', fields);
}

/** A webhook with a dead letter. */
async function notification() {
  const { url } = await receiver();
  await service.api.write('sys/sync/notifications/on-call', { url });
  const { rows } = await sql<{ id: string }>`
    insert into sync_deliveries (id, notification_id, event_id, kind, body, next_at, state)
    select gen_random_uuid(), id, 1, 'queue.filling', '{}', now(), 'dead' from sync_notifications returning id`.execute(
    service.store.db,
  );
  return { DELIVERY: rows[0]?.id, RECEIVER: url };
}

/** What a command needs beforehand; the result are further variables. */
const before: Readonly<Record<string, () => Promise<unknown>>> = {
  async login() {
    await inFolder('token.txt', await newToken());
    const { secret_id } = await service.api.write<{ secret_id: string }>('auth/approle/role/ci/secret-id', {});
    await inFolder('secret-id.txt', secret_id);
  },
  init: () => rm(join(program.folder, 'keys.json'), { force: true }),
  async unseal() {
    await sealed.restart();
    await inFolder('shares.txt', sealed.keys.join('\n'));
  },
  kv: secrets,
  async 'kv put'() {
    await inFolder('cert.pem', 'certificate');
    await inFolder('key.pem', 'key');
    await inFolder('my-app.json', '{"password": "fourth"}');
  },
  async 'kv undelete'() {
    await secrets();
    await service.ask('POST', 'secret/delete/my-app', { versions: [1] });
  },
  'policies put': () => inFolder('team-a.hcl', 'path "secret/data/team-a/*" { capabilities = ["read"] }\n'),
  'policies test': () => inFolder('app.hcl', 'path "secret/data/app" { capabilities = ["read"] }\n'),
  'tokens lookup': accessor,
  'tokens revoke': accessor,
  async 'audit hash'() {
    await service.ask('POST', 'sys/audit/log', {
      type: 'file',
      options: { file_path: join(program.folder, 'hash.log') },
    });
  },
  // With pending changes the exit code says that there are differences.
  plan: () => association().then(service.untilQuiet),
  destinations: destination,
  pause: destination,
  resume: destination,
  async 'records get'() {
    await association();
    const { records } = await service.api.read<{ records: { id: string }[] }>('sys/sync/records');
    return { RECORD: records[0]?.id };
  },
  async 'records history'() {
    await association();
    const { records } = await service.api.read<{ records: { id: string }[] }>('sys/sync/records');
    return { RECORD: records[0]?.id };
  },
  notifications: notification,
  batches: association,
  rules: rule,
  'batches get': batch,
  'batches cancel': batch,
  'destinations create': () => inFolder('destination.json', JSON.stringify(service.fake('cloud-a-sm').destination)),
  agent: agentPool,
  workspaces: () => workspace({ locked: false }),
  'workspaces unlock': () => workspace({ locked: true }),
  replay: association,
  sync: destination,
  unsync: association,
  wait: association,
};

const groupOf = (verb: string): string => verb.split(' ')[0] ?? '';

const addressOf = (verb: string): string | undefined =>
  ({ init: uninitialised.addresses[0], unseal: sealed.addresses[0] })[verb] ?? service.address;

const examples = allVerbs.flatMap(({ name, examples: lines }) => lines.map((line) => ({ name, line })));

test('every command has an example', () => {
  const without = allVerbs.filter((verb) => verb.examples.length === 0);
  expect(without.map(({ name }) => name)).toEqual([]);
});

test.each(examples)('$line', async ({ name, line }) => {
  // Of its own, because logout revokes it.
  const token = await newToken();
  await inFolder('.vault-token', token);
  const more = await (before[name] ?? before[groupOf(name)])?.();
  const { code, output, errors } = await program.shell(line, {
    ...environment,
    ...(typeof more === 'object' ? more : {}),
    KEYFERRY_ADDR: addressOf(name) ?? '',
  });
  expect(code, output + errors).toBe(0);
  expect(output + errors).not.toContain(token);
});
