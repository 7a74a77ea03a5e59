import { access } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { fileDevice, newLogPath, removeDevices, textOf } from './log.ts';

const service = serviceOf([]);
const notRecorded = ['1 error occurred:\n\t* no audit device has recorded the request\n\n'];
const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];

afterEach(async () => {
  await removeDevices(service);
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
  await eventually(async () => (await service.ask('GET', 'sys/mounts')).status === 200);
});

/** A server that reads until it is stopped. */
async function listener(): Promise<{ readonly port: number; readonly got: () => string; hang(): void; end(): void }> {
  const sockets = new Set<Socket>();
  let [text, hangs] = ['', false];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (!hangs) socket.on('data', (chunk) => (text += chunk));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  servers.push({ server, sockets });
  return {
    port: (server.address() as AddressInfo).port,
    got: () => text,
    hang() {
      hangs = true;
      for (const socket of sockets) socket.pause();
    },
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function socketDevice(port: number, options: Readonly<Record<string, string>> = {}): Promise<void> {
  const device = service.name('socket');
  const body = { type: 'socket', options: { address: `127.0.0.1:${port}`, ...options } };
  expect((await service.ask('POST', `sys/audit/${device}`, body)).status).toBe(204);
}

describe('a request that no device can record', () => {
  test('fails without an effect, whether it would be refused or not', async () => {
    const remote = await listener();
    await socketDevice(remote.port);
    remote.end();
    await eventually(async () => (await service.ask('GET', 'sys/mounts')).status === 500);
    const answer = await service.ask('POST', 'secret/data/undone', { data: { a: '1' } });
    expect([answer.status, answer.errors]).toEqual([500, notRecorded]);
    const denied = await service.ask('GET', 'secret/data/x', undefined, { headers: { 'x-service-token': 'none' } });
    expect([denied.status, denied.errors]).toEqual([500, notRecorded]);
    expect((await service.ask('GET', 'sys/health')).status).toBe(200);
    await removeDevices(service);
    await eventually(async () => (await service.ask('GET', 'secret/data/undone')).status === 404);
  });

  test('continues when another device records it', async () => {
    const remote = await listener();
    const { file } = await fileDevice(service);
    await socketDevice(remote.port);
    await service.ask('GET', 'secret/data/both');
    await eventually(() => remote.got().includes('secret/data/both'));
    remote.end();
    for (let index = 0; index < 5; index += 1)
      expect((await service.ask('POST', `secret/data/alone/${index}`, { data: {} })).status).toBe(200);
    expect(await textOf(file)).toContain('secret/data/alone/4');
    expect(JSON.stringify(service.logged)).toContain('an audit device failed to record');
  });

  test('because a device hangs ends within its time limit', async () => {
    const remote = await listener();
    await socketDevice(remote.port, { write_timeout: '300ms' });
    remote.hang();
    // The system buffers some megabytes for a reader that does not read.
    const large = { data: Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`key-${index}`, 'v'])) };
    await eventually(async () => (await service.ask('POST', 'secret/data/hangs', large)).status === 500);
    expect(JSON.stringify(service.logged)).toMatch(/not accepted in time|took longer than|no connection/);
  });
});

describe('a device that does not accept the test line is not enabled', () => {
  test.each([
    ['a full disk', { type: 'file', options: { file_path: '/dev/full' } }, 'ENOSPC'],
    ['a folder', { type: 'file', options: { file_path: '/tmp' } }, 'EISDIR'],
    ['no folder', { type: 'file', options: { file_path: '/none/at/all' } }, 'ENOENT'],
    ['no listener', { type: 'socket', options: { address: '127.0.0.1:1' } }, 'ECONNREFUSED'],
    ['no such socket', { type: 'socket', options: { address: '/none', socket_type: 'unix' } }, 'ENOENT'],
    ['no HTTP server', { type: 'http', options: { uri: 'http://127.0.0.1:1023/' } }, 'ECONNREFUSED'],
  ])('%s', async (_what, body, text) => {
    const answer = await service.ask('POST', 'sys/audit/broken', body);
    expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
    expect((await service.ask('GET', 'sys/audit')).data).toEqual({});
  });
});

describe('is a bad request', () => {
  const file = { file_path: newLogPath() };
  test.each([
    [{}, 'unknown type of audit device ""'],
    [{ type: 'none' }, 'unknown type of audit device "none"; expected file, socket, http'],
    [{ type: 'constructor' }, 'unknown type'],
    [{ type: 'syslog' }, 'syslog are not supported'],
    [{ type: 'file' }, "'file_path' is required"],
    [{ type: 'file', options: { file_path: 'log' } }, 'absolute path'],
    [{ type: 'file', options: { ...file, mode: '0755' } }, "'mode'"],
    [{ type: 'file', options: { ...file, mode: 'x' } }, "'mode'"],
    [{ type: 'file', options: { ...file, format: 'jsonx' } }, 'jsonx'],
    [{ type: 'file', options: { ...file, filter: 'x' } }, 'unknown option "filter"'],
    [{ type: 'file', options: { ...file, log_raw: 'perhaps' } }, "'log_raw'"],
    [{ type: 'file', options: { ...file, prefix: 'a\nb' } }, "'prefix'"],
    [{ type: 'file', options: { ...file, write_timeout: '0' } }, "'write_timeout'"],
    [{ type: 'file', options: { ...file, write_timeout: '2h' } }, "'write_timeout'"],
    [{ type: 'socket' }, "'address' is required"],
    [{ type: 'socket', options: { address: 'x' } }, 'host:port'],
    [{ type: 'socket', options: { address: 'x:99999' } }, 'host:port'],
    [{ type: 'socket', options: { address: 'x:1', socket_type: 'x' } }, "'socket_type'"],
    [{ type: 'http' }, "'uri'"],
    [{ type: 'http', options: { uri: 'file:///etc' } }, "'uri'"],
    [{ type: 'http', options: { uri: 'http://x', headers: '[]' } }, "'headers'"],
    [{ type: 'file', options: 7 }, 'options'],
    [{ type: ['file'] }, 'type'],
  ])('%j', async (body, text) => {
    const answer = await service.ask('POST', 'sys/audit/wrong', body);
    expect([answer.status, answer.errors.join()]).toEqual([400, expect.stringContaining(text)]);
  });

  test('a path that is in use, is empty or is too long; a hash of an unknown device', async () => {
    const { device } = await fileDevice(service);
    const body = { type: 'file', options: file };
    expect(await service.ask('POST', `sys/audit/${device}`, body)).toMatchObject({
      status: 400,
      errors: ['path already in use'],
    });
    expect((await service.ask('POST', `sys/audit/${'x'.repeat(300)}`, body)).status).toBe(400);
    expect(await service.ask('POST', 'sys/audit-hash/none', { input: 'x' })).toMatchObject({
      status: 400,
      errors: ['unknown audit backend "none"'],
    });
    for (const wrong of [{}, { input: 7 }, { input: null }])
      expect((await service.ask('POST', `sys/audit-hash/${device}`, wrong)).status).toBe(400);
    await expect(access(file.file_path)).rejects.toThrow();
  });
});
