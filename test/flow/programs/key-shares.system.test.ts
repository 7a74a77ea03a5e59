import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { freePort } from '#infra/local/child.ts';
import { selfSigned } from '../../support/auth/self-signed.ts';
import { type Answer, readAnswer } from '../../support/flow/calls/ask.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { type Program, runProgram, type Started, startProgram } from '../../support/flow/processes.ts';
import { testDatabase, testRedis } from '../../support/services.ts';

// A typical first installation: five shares with a threshold of three, and processes started as in production.
const type = 'cloud-a-sm';
const policy =
  'path "sys/sync/unseal" { capabilities = ["update", "sudo"] } path "auth/token/revoke-self" { capabilities = ["update"] }';

interface Measured {
  readonly started: Started;
  sealed(): Promise<boolean>;
}

let folder: string;
let fake: CloudASmFake;
let environment: Record<string, string>;
let apis: readonly (Started & { readonly address: string })[];
let shares: readonly string[];
let rootToken: string;
let trusting: Agent;
const processes: Started[] = [];

async function start(program: Program, changes: Readonly<Record<string, string>> = {}): Promise<Started> {
  const args = program === 'worker' ? ['--type', type] : [];
  const started = await startProgram(program, { environment: { ...environment, ...changes }, args });
  processes.push(started);
  return started;
}

async function measured(program: Program): Promise<Measured> {
  const port = String(await freePort());
  const started = await start(program, { KEYFERRY_METRICS_PORT: port });
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { started, sealed: async () => (await read()).includes('keyferry_sealed 1\n') };
}

async function ask(api: number, method: string, path: string, body?: unknown, token = rootToken): Promise<Answer> {
  const answer = await undiciFetch(`${apis[api]?.address}/v1/${path}`, {
    method,
    dispatcher: trusting,
    headers: { 'x-service-token': token, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return readAnswer(answer.status, await answer.text());
}

async function must(api: number, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await ask(api, method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer;
}

async function unseal(api: number): Promise<void> {
  for (const key of shares.slice(0, 3)) await must(api, 'POST', 'sys/unseal', { key });
}

const isSealed = async (api: number) => (await ask(api, 'GET', 'sys/seal-status')).body['sealed'] === true;

interface Shown {
  readonly sync_status: string;
  readonly attempts: number;
}

async function record(secret: string): Promise<Shown | undefined> {
  const { data } = await must(0, 'GET', `sys/sync/destinations/${type}/place/associations`);
  const all = Object.values(data['associated_secrets'] as Readonly<Record<string, Shown & { secret_name: string }>>);
  return all.find((one) => one.secret_name === secret);
}

const synced = (secret: string) => eventually(async () => (await record(secret))?.sync_status === 'SYNCED');

async function associate(secret: string): Promise<void> {
  await must(0, 'POST', `kv/data/${secret}`, { data: { a: secret } });
  await must(0, 'POST', `sys/sync/destinations/${type}/place/associations/set`, { mount: 'kv', secret_name: secret });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-shares-'));
  fake = await startFake();
  const { cert, key } = await selfSigned();
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
  trusting = new Agent({ connect: { ca: cert } });
  const { url, prefix } = testRedis();
  environment = {
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_NETWORK_ALLOWED: 'all',
    KEYFERRY_SYNC_WAIT_MS: '0',
    KEYFERRY_SWEEP_MS: '100',
    KEYFERRY_SHUTDOWN_MS_MAX: '1500',
    KEYFERRY_DATABASE_POOL_SIZE: '5',
    KEYFERRY_TLS_CERT_FILE: files.cert,
    KEYFERRY_TLS_KEY_FILE: files.key,
    PORT: '0',
  };
  const started = [await start('serve'), await start('serve')];
  apis = started.map((one) => ({ ...one, address: one.ready.replace('127.0.0.1', 'localhost') }));
  const { body } = await must(0, 'POST', 'sys/init', { secret_shares: 5, secret_threshold: 3 });
  shares = body['keys'] as string[];
  rootToken = String(body['root_token']);
  await unseal(0);
  await must(0, 'PUT', 'sys/policies/acl/unseal', { policy });
  await must(0, 'POST', 'sys/auth/approle', { type: 'approle' });
  const role = {
    token_policies: 'unseal',
    token_no_default_policy: true,
    token_ttl: '1m',
    token_bound_cidrs: '127.0.0.0/8',
  };
  await must(0, 'POST', 'auth/approle/role/sync', role);
  const { data: id } = await must(0, 'GET', 'auth/approle/role/sync/role-id');
  const { data: secret } = await must(0, 'POST', 'auth/approle/role/sync/secret-id', {});
  await writeFile(join(folder, 'secret-id'), `${secret['secret_id']}\n`);
  environment = {
    ...environment,
    KEYFERRY_UNSEAL_ADDRESS: String(apis[1]?.address),
    KEYFERRY_UNSEAL_CA_FILE: files.cert,
    KEYFERRY_UNSEAL_LOGIN: 'approle',
    KEYFERRY_UNSEAL_ROLE: String(id['role_id']),
    KEYFERRY_UNSEAL_SECRET_ID_FILE: join(folder, 'secret-id'),
  };
  await must(0, 'POST', 'sys/mounts/kv', { type: 'kv-v2' });
  await must(0, 'POST', `sys/sync/destinations/${type}/place`, fake.destination);
});

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return;
  process.stderr.write(
    `${processes.flatMap(({ pid, err }) => err.slice(-15).map((line) => `${pid} ${line}`)).join('\n')}\n`,
  );
});

afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await fake?.close();
  await trusting?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an installation with five shares', () => {
  let worker: Measured;
  let sweep: Measured;

  test('syncs only once the API that lends to its worker is unsealed; until then jobs wait without an attempt', async () => {
    worker = await measured('worker');
    sweep = await measured('sweep');
    await associate('first');
    await eventually(() =>
      worker.started.err.some((line) => line.includes('it is sealed, or its database is unavailable')),
    );
    expect(await worker.sealed()).toBe(true);
    expect(await record('first')).toMatchObject({ sync_status: 'PENDING', attempts: 0 });
    expect([...fake.calls().values()]).toEqual([]);
    expect(worker.started.err.filter((line) => line.includes('jobs are waiting: this worker is sealed'))).toHaveLength(
      1,
    );
    await unseal(1);
    await synced('first');
    await eventually(async () => !(await sweep.sealed()));
    expect([...fake.objects().values()].map(({ value }) => value)).toEqual(['{"a":"first"}']);
  });

  test('is sealed everywhere by one process, and continues without a restart after unsealing', async () => {
    await must(0, 'POST', 'sys/seal', {});
    for (const one of [worker, sweep]) await eventually(() => one.sealed());
    await eventually(() => isSealed(1));
    const sealedMessage = '"the installation was sealed: sealing this process"';
    for (const one of [worker, sweep])
      expect(one.started.err.filter((line) => line.includes(sealedMessage))).toHaveLength(1);
    await unseal(0);
    const calls = [...fake.calls().values()].reduce((sum, one) => sum + one, 0);
    await associate('second');
    await eventually(() => worker.started.err.filter((line) => line.includes('it is sealed')).length === 2);
    expect(await record('second')).toMatchObject({ sync_status: 'PENDING', attempts: 0 });
    expect([...fake.calls().values()].reduce((sum, one) => sum + one, 0)).toBe(calls);
    await unseal(1);
    await synced('second');
    await eventually(async () => !(await sweep.sealed()));
  });

  test('follows a rotation of the keys and a rekey of the shares with the loan from before', async () => {
    await must(0, 'POST', 'sys/rotate');
    await associate('rotated');
    await synced('rotated');
    const { body } = await must(0, 'POST', 'sys/rekey/init', { secret_shares: 1, secret_threshold: 1 });
    let keys: unknown;
    for (const key of shares.slice(2))
      keys ??= (await must(1, 'POST', 'sys/rekey/update', { key, nonce: body['nonce'] })).body['keys'];
    shares = keys as string[];
    await associate('rekeyed');
    await synced('rekeyed');
  });

  test('syncs with a restarted worker and one round of the sweep', async () => {
    expect(await worker.started.end('SIGTERM')).toMatchObject({ code: 0 });
    worker = await measured('worker');
    await associate('third');
    await synced('third');
    const { out, code } = await runProgram('sweep', { environment, args: ['--once'] });
    expect([code, out.join()]).toEqual([0, expect.stringContaining('"requeued"')]);
  });

  test('has logged no tokens, keys or secret ids', async () => {
    const text = processes.flatMap(({ out, err }) => [...out, ...err]).join('\n');
    expect(text.length).toBeGreaterThan(1_000);
    expect(text).not.toMatch(/hvs\.|hvb\.|BEGIN|[0-9a-f]{64}/);
    expect(text).not.toContain(rootToken);
  });
});

test('a worker without a key and without an API that lends one ends with one line that names both', async () => {
  const { KEYFERRY_UNSEAL_ADDRESS: _address, ...without } = environment;
  const own = Object.entries(without).filter(([name]) => !name.startsWith('KEYFERRY_UNSEAL_'));
  const { code, err } = await runProgram('worker', { environment: Object.fromEntries(own) });
  expect(code).toBe(1);
  expect(err.join()).toMatch(/KEYFERRY_SEAL_KEY is not set.*KEYFERRY_UNSEAL_ADDRESS/);
});
