import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { openStore } from '#store/open.ts';
import { openStaticKey } from '#store/seal/keys/static-key.ts';
import { readRecord } from '#store/seal/record.ts';
import { fakeCloudAKms } from '../../key-services/fakes/cloud-a-kms.ts';
import { storeOptions } from '../../store/stores.ts';
import { foundIn } from '../../support/flow/backup/dumps.ts';
import { type Answer, ask } from '../../support/flow/calls/ask.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { type Program, runProgram, type Started, startProgram } from '../../support/flow/processes.ts';
import { ending, testDatabase, testRedis } from '../../support/services.ts';

/** Programs on one store, all at the most verbose log level, and what they have logged. */
async function installation() {
  const { url, prefix } = testRedis();
  const common = {
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_DATABASE_POOL_SIZE: '4',
    KEYFERRY_LOG_LEVEL: 'debug',
    PORT: '0',
  };
  const logs: (readonly string[])[] = [];
  const start = async (program: Program, settings: Readonly<Record<string, string>>): Promise<Started> => {
    const started = ending(await startProgram(program, { environment: { ...common, ...settings } }));
    logs.push(started.err, started.out);
    return started;
  };
  const sweepOnce = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const ended = await runProgram('sweep', { args: ['--once'], environment: { ...common, ...settings } });
    logs.push(ended.err, ended.out);
    return ended.out.join('\n');
  };
  return { databaseUrl: common.DATABASE_URL, start, sweepOnce, logged: () => logs.flat().join('\n') };
}

const asker =
  (token: () => string) =>
  ({ ready: address }: Started, method: string, path: string, body?: unknown): Promise<Answer> =>
    ask({ address, token: token(), method, path, body });

test('a running installation migrates from its static key to a key service and to key shares, and no log has a key', async () => {
  const { databaseUrl, start, sweepOnce, logged } = await installation();
  const { server, service } = await fakeCloudAKms();
  const staticKey = randomBytes(32);
  const staticSettings = { KEYFERRY_SEAL_KEY: staticKey.toString('hex') };
  const serviceSettings = {
    KEYFERRY_SEAL: 'cloud-a-kms',
    KEYFERRY_SEAL_KEY_ID: service.keyId,
    KEYFERRY_SEAL_ENDPOINT: server.url,
    AWS_ACCESS_KEY_ID: 'AKID',
    AWS_SECRET_ACCESS_KEY: 'the-secret-key-of-the-environment',
  };
  let token = '';
  const asked = asker(() => token);
  const status = async (api: Started) => (await asked(api, 'GET', 'sys/seal-status')).body;
  const secretOf = async (api: Started) => (await asked(api, 'GET', 'kv/data/one')).data['data'];

  const old = await start('serve', staticSettings);
  const { body: made } = await asked(old, 'PUT', 'sys/init', { recovery_shares: 3, recovery_threshold: 2 });
  token = String(made['root_token']);
  const shares = made['recovery_keys'] as readonly string[];
  await asked(old, 'POST', 'sys/mounts/kv', { type: 'kv', options: { version: '2' } });
  expect((await asked(old, 'POST', 'kv/data/one', { data: { v: 'kept' } })).status).toBe(200);
  const rootKey = await rootKeyOf(databaseUrl, staticKey);

  // To the key service: the old process keeps running, the new one waits for shares.
  const next = await start('serve', { ...serviceSettings, KEYFERRY_SEAL_FORMER_KEY: staticKey.toString('hex') });
  expect(await status(next)).toMatchObject({ sealed: true, migration: true, type: 'static', t: 2, n: 3 });
  expect((await asked(next, 'PUT', 'sys/unseal', { key: shares[0] })).errors.join()).toContain('"migrate": true');
  const first = await asked(next, 'PUT', 'sys/unseal', { key: shares[0], migrate: true });
  expect(first.body).toMatchObject({ sealed: true, migration: true, progress: 1 });
  const second = await asked(next, 'PUT', 'sys/unseal', { key: shares[1], migrate: true });
  expect(second.body).toMatchObject({ sealed: false, migration: false, type: 'cloud-a-kms', progress: 0 });
  expect([await secretOf(next), await secretOf(old)]).toEqual([{ v: 'kept' }, { v: 'kept' }]);
  const { ready: address } = next;
  const family = { headers: { 'X-Vault-Request': 'true' } };
  const shown = await ask({ address, token, method: 'GET', path: 'sys/seal-status', ...family });
  expect(shown.body).toMatchObject({ type: 'awskms', recovery_seal: true });

  // A process that starts while the service refuses is sealed, says why, and unseals itself later.
  server.fault = 'denied';
  const late = await start('serve', serviceSettings);
  expect(await status(late)).toMatchObject({ sealed: true, migration: false, type: 'cloud-a-kms' });
  expect(late.out.join('\n')).toContain('sealed until the key service cloud-a-kms answers');
  expect((await asked(late, 'GET', 'sys/health')).status).toBe(503);
  expect(await sweepOnce(serviceSettings)).toContain('"sealed":true');
  expect(await status(next)).toMatchObject({ sealed: false });
  server.fault = undefined;
  await eventually(async () => (await status(late))['sealed'] === false);
  expect(await secretOf(late)).toEqual({ v: 'kept' });
  expect(await sweepOnce(serviceSettings)).not.toContain('sealed');
  // A process that starts with the old settings stays sealed.
  expect(await status(await start('serve', staticSettings))).toMatchObject({ sealed: true, type: 'cloud-a-kms' });

  // To key shares.
  const { KEYFERRY_SEAL, KEYFERRY_SEAL_KEY_ID, KEYFERRY_SEAL_ENDPOINT, ...credentials } = serviceSettings;
  const last = await start('serve', {
    ...credentials,
    KEYFERRY_SEAL_FORMER: KEYFERRY_SEAL,
    KEYFERRY_SEAL_FORMER_KEY_ID: KEYFERRY_SEAL_KEY_ID,
    KEYFERRY_SEAL_FORMER_ENDPOINT: KEYFERRY_SEAL_ENDPOINT,
  });
  for (const key of shares.slice(1)) await asked(last, 'PUT', 'sys/unseal', { key, migrate: true });
  expect(await status(last)).toMatchObject({ sealed: false, type: 'shamir', migration: false, t: 2, n: 3 });
  expect([await secretOf(last), await secretOf(late)]).toEqual([{ v: 'kept' }, { v: 'kept' }]);

  const text = logged();
  expect(text).toContain('AccessDeniedException');
  const wrappedKeys = server.requests.flatMap((request) => /"Plaintext":"([^"]+)"/.exec(request)?.[1] ?? []);
  expect(wrappedKeys.length).toBeGreaterThan(0);
  const keys = [rootKey, staticKey, ...wrappedKeys.map((key) => Buffer.from(key, 'base64'))];
  const secrets = keys.flatMap((key) => [key.toString('hex'), key.toString('base64'), key.toString('base64url')]);
  expect(foundIn(text, [...secrets, ...shares, 'the-secret-key-of-the-environment', token])).toEqual([]);
  expect(foundIn(server.requests.join('\n'), [rootKey.toString('base64'), rootKey.toString('hex')])).toEqual([]);
});

async function rootKeyOf(databaseUrl: string, staticKey: Buffer): Promise<Buffer> {
  const { db } = ending(await openStore(storeOptions(databaseUrl)));
  const record = await readRecord(db);
  if (record === undefined) throw new Error('the store is not initialised');
  const key = await openStaticKey({ key: new Secret(staticKey.toString('hex')) });
  return key.openRootKey(record, new AbortController().signal);
}
