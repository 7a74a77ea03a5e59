import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '#infra/local/child.ts';
import { startRedis } from '#infra/local/redis/start.ts';
import { operations, testQueue, until } from '../queues.ts';

/** For calls that fail. */
const limits = { commandMsMax: 1_500 };

const certified = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });

async function folder(): Promise<(name: string, text: string) => Promise<string>> {
  const dir = await mkdtemp(join(tmpdir(), 'keyferry-secured-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  // The server runs as another user.
  await chmod(dir, 0o755);
  return async (name, text) => {
    await writeFile(join(dir, name), text, { mode: 0o644 });
    return join(dir, name);
  };
}

/** A Redis with TLS for the name `localhost`, which requires a client certificate. */
async function secured() {
  const write = await folder();
  const [server, client] = await Promise.all([certified('localhost'), certified('client')]);
  const files = {
    ca: await write('ca.pem', server.cert),
    cert: await write('client.pem', client.cert),
    key: await write('client.key', client.private),
  };
  const tlsPort = await freePort();
  const settings = [
    `tls-port ${tlsPort}`,
    `tls-cert-file ${files.ca}`,
    `tls-key-file ${await write('server.key', server.private)}`,
    `tls-ca-cert-file ${files.cert}`,
  ];
  const redis = await startRedis({ settings });
  onTestFinished(() => redis.stop());
  const { password } = new URL(redis.url);
  const url = (host: string, parameters: Readonly<Record<string, string>>) =>
    `rediss://:${password}@${host}:${tlsPort}?${new URLSearchParams(parameters)}`;
  return { url, files };
}

const unavailable = { kind: 'unavailable' };

test('a Redis with TLS is used with its authority and our certificate, and not if one of them is missing', async () => {
  const { url, files } = await secured();
  const [ca, own] = [{ ca_file: files.ca }, { cert_file: files.cert, key_file: files.key }];
  const queue = await testQueue({ redisUrl: url('localhost', { ...ca, ...own }) });
  expect(await queue.enqueue(operations(3), 100)).toEqual({ refused: [] });
  const without = await testQueue({ redisUrl: url('localhost', ca), limits });
  await expect(without.pendingCount()).rejects.toMatchObject(unavailable);
  const untrusted = await testQueue({ redisUrl: url('localhost', own), limits });
  await expect(untrusted.pendingCount()).rejects.toMatchObject(unavailable);
});

test('a certificate must name the dialled host, or for an IP address any host of the URL', async () => {
  const { url, files } = await secured();
  const parameters = { ca_file: files.ca, cert_file: files.cert, key_file: files.key };
  const other = await testQueue({ redisUrl: url('127.0.0.1', parameters), limits });
  await expect(other.pendingCount()).rejects.toMatchObject(unavailable);
  const named = await testQueue({ redisUrl: url('127.0.0.1:1,localhost', parameters) });
  expect(await named.pendingCount()).toBe(0);
  const announced = url('127.0.0.1', parameters).replace('?', ',localhost:1?');
  expect(await (await testQueue({ redisUrl: announced })).pendingCount()).toBe(0);
});

test('a missing TLS file is an outage, and is read as soon as it exists', async () => {
  const { url, files } = await secured();
  const write = await folder();
  const later = await write('x', '');
  const parameters = { ca_file: `${later}-ca`, cert_file: files.cert, key_file: files.key };
  const queue = await testQueue({ redisUrl: url('localhost', parameters), limits });
  await expect(queue.pendingCount()).rejects.toMatchObject(unavailable);
  await write('x-ca', await readFile(files.ca, 'utf8'));
  await until(async () => (await queue.pendingCount().catch(() => undefined)) === 0);
});

test('a password file is read for each connection, and a wrong password is an outage', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const write = await folder();
  const { port, password } = new URL(redis.url);
  const file = await write('password', `${password}\n`);
  const queue = await testQueue({ redisUrl: `redis://127.0.0.1:${port}?password_file=${file}`, limits });
  expect(await queue.pendingCount()).toBe(0);
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  await admin.config('SET', 'requirepass', 'rotated');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await expect(queue.pendingCount()).rejects.toMatchObject(unavailable);
  await write('password', 'rotated');
  await until(async () => (await queue.pendingCount().catch(() => undefined)) === 0);
});
