import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { role } from '#infra/local/postgres/rights.ts';
import { openStore } from '#store/open.ts';
import { newAuthority } from '#test/support/postgres/certificates.ts';
import { newServer, type OwnServer } from '#test/support/postgres/own-server.ts';
import { ending } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

let server: OwnServer;
let plain: OwnServer;
let folder = '';
const file = (name: string) => join(folder, name);

/** Each database has another login method, which the access rules of the server select. */
const access = [
  `hostssl certified ${role} 127.0.0.1/32 cert`,
  `host clear ${role} 127.0.0.1/32 password`,
  `host hashed ${role} 127.0.0.1/32 md5`,
  `host trusted ${role} 127.0.0.1/32 trust`,
  `hostnossl nossl ${role} 127.0.0.1/32 scram-sha-256`,
  `hostssl nossl ${role} 127.0.0.1/32 reject`,
  `host all ${role} 127.0.0.1/32 scram-sha-256`,
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-tls-'));
  const [authority, other] = [await newAuthority(), await newAuthority()];
  const [own, client, foreign] = [
    await authority.forServer({ ip: '127.0.0.1' }),
    await authority.forClient(role),
    await other.forClient(role),
  ];
  const files = { ca: authority.cert, other: other.cert, cert: client.cert, key: client.key };
  for (const [name, text] of Object.entries({ ...files, foreignCert: foreign.cert, foreignKey: foreign.key })) {
    await writeFile(file(name), text);
  }
  server = await newServer({ access });
  for (const [name, text] of Object.entries({
    'server.crt': own.cert,
    'server.key': own.key,
    'ca.crt': authority.cert,
  })) {
    await writeFile(join(server.dataDir, name), text, { mode: 0o600 });
    await handOver(join(server.dataDir, name), server.dataDir);
  }
  await server.start({ ssl: 'on', ssl_ca_file: 'ca.crt' });
  for (const name of ['certified', 'clear', 'hashed', 'trusted', 'nossl']) {
    await server.query(`create database ${name} owner ${role}`);
  }
  plain = await newServer();
  await plain.start();
});

afterAll(async () => {
  await Promise.all([server, plain].map((one) => one.remove()));
  await rm(folder, { recursive: true, force: true });
});

async function handOver(path: string, like: string): Promise<void> {
  const { stat, chown } = await import('node:fs/promises');
  const { uid, gid } = await stat(like);
  await chown(path, uid, gid);
  await chmod(path, 0o600);
}

const urlOf = (parameters: string, { database = 'postgres', host = '127.0.0.1' } = {}) =>
  server.url(parameters).replace('/postgres?', `/${database}?`).replace('@127.0.0.1', `@${host}`);

/** How the connection is secured, or why it failed. */
async function outcomeOf(url: string): Promise<string> {
  const opened = openStore(storeOptions(url, { connectTimeoutMs: 10_000 }));
  const store = await opened.catch((error: unknown) => String(error));
  if (typeof store === 'string') {
    expect(store).not.toContain(server.password);
    return store.replace(/^.*the database cannot serve this now: /, '');
  }
  ending(store);
  const { rows } = await sql<{ ssl: boolean; version: string | null; client: string | null }>`
    select ssl, version, client_dn as client from pg_stat_ssl where pid = pg_backend_pid()`.execute(store.db);
  const [row] = rows;
  return row?.ssl === true ? `TLS${row.client === null ? '' : ` as ${row.client}`}` : 'in the clear';
}

describe('a server with TLS', () => {
  test.each([
    ['sslmode=disable', 'in the clear'],
    ['sslmode=prefer', 'TLS'],
    ['sslmode=no-verify', 'TLS'],
    ['sslmode=verify-full&sslrootcert=CA', 'TLS'],
    ['sslmode=verify-full&sslrootcert=CA&ssl_min_protocol_version=TLSv1.3', 'TLS'],
    ['sslmode=require', /its certificate is not signed by an authority that is trusted here/],
    ['sslmode=verify-full', /its certificate is not signed by an authority that is trusted here/],
    ['sslmode=verify-full&sslrootcert=OTHER', /its certificate is not signed by an authority that is trusted here/],
    ['sslmode=verify-ca&sslrootcert=OTHER', /its certificate is not signed by an authority that is trusted here/],
    ['sslmode=verify-full&sslrootcert=/nowhere', 'the file that sslrootcert names cannot be read (ENOENT)'],
    ['sslmode=verify-full&sslrootcert=CA&require_auth=scram-sha-256&channel_binding=require', 'TLS'],
  ])('%s: %s', async (parameters, expected) => {
    const found = await outcomeOf(urlOf(parameters.replace('CA', file('ca')).replace('OTHER', file('other'))));
    if (typeof expected === 'string') expect(found).toBe(expected);
    else expect(found).toMatch(expected);
  });

  test('sslnegotiation=direct begins with TLS, which servers before 17 do not understand', async () => {
    const [row] = await server.query(`select current_setting('server_version_num')::int >= 170000 as direct`);
    const found = await outcomeOf(urlOf(`sslmode=verify-full&sslrootcert=${file('ca')}&sslnegotiation=direct`));
    expect(found).toBe(row?.['direct'] === true ? 'TLS' : 'the connection was lost');
  });

  test('a certificate for another host is refused by verify-full and accepted by verify-ca', async () => {
    const ca = `sslrootcert=${file('ca')}`;
    expect(await outcomeOf(urlOf(`sslmode=verify-ca&${ca}`, { host: 'localhost' }))).toBe('TLS');
    for (const mode of ['verify-full', 'require']) {
      const found = await outcomeOf(urlOf(`sslmode=${mode}&${ca}`, { host: 'localhost' }));
      expect(found).toBe('its certificate is for another host name');
    }
  });

  test('a client certificate is presented, and one of another authority is refused', async () => {
    const database = { database: 'certified' };
    const ca = `sslmode=verify-full&sslrootcert=${file('ca')}`;
    const own = `${ca}&sslcert=${file('cert')}&sslkey=${file('key')}`;
    const passwordless = urlOf(own, database).replace(`:${server.password}`, '');
    expect(await outcomeOf(passwordless)).toBe(`TLS as /CN=${role}`);
    expect(await outcomeOf(urlOf(ca, database))).toMatch(/it refuses the login/);
    const foreign = `${ca}&sslcert=${file('foreignCert')}&sslkey=${file('foreignKey')}`;
    expect(await outcomeOf(urlOf(foreign, database))).toMatch(/the connection was lost|TLS failed/);
  });

  test('with sslmode=prefer, a login that is refused over TLS is tried without TLS', async () => {
    expect(await outcomeOf(urlOf('sslmode=prefer', { database: 'nossl' }))).toBe('in the clear');
    expect(await outcomeOf(urlOf('sslmode=no-verify', { database: 'nossl' }))).toMatch(/it refuses the login/);
  });
});

test('a server without TLS is refused where TLS is required', async () => {
  expect(await outcomeOf(plain.url('sslmode=prefer'))).toBe('in the clear');
  for (const mode of ['no-verify', 'require', 'verify-full']) {
    expect(await outcomeOf(plain.url(`sslmode=${mode}`))).toBe('it does not offer TLS, which sslmode asks for');
  }
});

describe('login methods', () => {
  const scram = 'require_auth=scram-sha-256';
  const binding = 'sslmode=no-verify&channel_binding=require';

  test.each([
    ['clear', '', 'in the clear'],
    ['clear', scram, 'it asks for a login by password, which require_auth does not allow'],
    ['clear', 'require_auth=!password', 'it asks for a login by password, which require_auth does not allow'],
    ['clear', binding, 'it does not bind the login to its certificate, as channel_binding=require demands'],
    // The password is stored as SCRAM, so PostgreSQL uses that.
    ['hashed', scram, 'in the clear'],
    ['trusted', '', 'in the clear'],
    ['trusted', scram, 'it asks for a login by none, which require_auth does not allow'],
    ['trusted', binding, 'it does not bind the login to its certificate, as channel_binding=require demands'],
    ['postgres', scram, 'in the clear'],
    ['postgres', binding, 'TLS'],
    ['postgres', 'require_auth=md5', 'it asks for a login by scram-sha-256, which require_auth does not allow'],
  ])('%s, %s: %s', async (database, parameters, expected) => {
    expect(await outcomeOf(urlOf(parameters, { database }))).toBe(expected);
  });

  test('a password is not sent to a server that requests it by a method that is not allowed', async () => {
    const heard: Buffer[] = [];
    const asking = createServer((socket) => {
      socket.on('data', (data) => heard.push(data));
      socket.on('error', () => {});
      socket.once('data', () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])));
    });
    await new Promise<void>((resolve) => asking.listen(0, '127.0.0.1', resolve));
    ending({ close: async () => void asking.close() });
    const address = asking.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = (parameters: string) => `postgres://user:marker@127.0.0.1:${address.port}/db?${parameters}`;
    expect(await outcomeOf(url(scram))).toMatch(/a login by password/);
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('marker');
    await outcomeOf(url('require_auth=password'));
    expect(Buffer.concat(heard).toString('latin1')).toContain('marker');
  });

  test('a server that ends the exchange before it has proved that it knows the password is refused', async () => {
    const skipping = createServer((socket) => {
      socket.on('error', () => {});
      const sasl = Buffer.from('SCRAM-SHA-256\0\0');
      const ask = Buffer.concat([Buffer.from([0x52, 0, 0, 0, 8 + sasl.length, 0, 0, 0, 10]), sasl]);
      socket.once('data', () => {
        socket.write(ask);
        const ready = [0x5a, 0, 0, 0, 5, 0x49];
        socket.once('data', () => socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, ...ready])));
      });
    });
    await new Promise<void>((resolve) => skipping.listen(0, '127.0.0.1', resolve));
    ending({ close: async () => void skipping.close() });
    const address = skipping.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = `postgres://user:marker@127.0.0.1:${address.port}/db`;
    expect(await outcomeOf(url)).toBe('it has not proved that it knows the password');
  });
});
