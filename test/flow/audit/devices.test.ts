import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openApi } from '#app.ts';
import { uuid } from '#core/ids.ts';
import { silentLog } from '#core/log/log.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { fileDevice, linesOf, removeDevices } from './log.ts';

const service = serviceOf([]);
const ends: (() => unknown)[] = [];

afterEach(() => removeDevices(service));
afterAll(() => {
  for (const end of ends) end();
});

const enable = (body: object) => service.ask('POST', `sys/audit/${service.name('device')}`, body);

/** Complete lines, each of a request or a reply. */
function expectLines(text: string, path: string): void {
  const lines = text.split('\n').slice(0, -1);
  const found = lines.map((line) => JSON.parse(line)).filter(({ request }) => request.path === path);
  expect(found.map(({ type }) => type)).toEqual(['request', 'response']);
}

async function listening(server: Server, at: { port: number; host: string } | string): Promise<Server> {
  server.listen(at);
  await once(server, 'listening');
  ends.push(() => server.close());
  return server;
}

describe('lines go to', () => {
  test.each(['tcp', 'unix'])('a socket of type %s', async (type) => {
    let text = '';
    const server = createServer((socket) => {
      ends.push(() => socket.destroy());
      socket.on('data', (chunk) => (text += chunk));
    });
    const path = join(tmpdir(), `keyferry-${uuid()}.sock`);
    await listening(server, type === 'unix' ? path : { port: 0, host: '127.0.0.1' });
    const address = type === 'unix' ? path : `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await enable({ type: 'socket', options: { address, socket_type: type } })).status).toBe(204);
    await service.ask('GET', 'secret/data/over-socket');
    await eventually(() => text.split('secret/data/over-socket').length > 2 && text.endsWith('\n'));
    expectLines(text, 'secret/data/over-socket');
  });

  test('datagrams, one line in each', async () => {
    const got: string[] = [];
    const socket = createSocket('udp4', (message) => got.push(message.toString()));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    ends.push(() => socket.close());
    const address = `127.0.0.1:${socket.address().port}`;
    expect((await enable({ type: 'socket', options: { address, socket_type: 'udp' } })).status).toBe(204);
    await service.ask('GET', 'secret/data/datagram');
    await eventually(() => got.filter((one) => one.includes('secret/data/datagram')).length === 2);
    expectLines(got.join(''), 'secret/data/datagram');
  });

  test('an HTTP server, with the headers that were set', async () => {
    let [text, credential] = ['', ''];
    const server = createHttp(async (request, response) => {
      credential = request.headers.authorization ?? '';
      for await (const chunk of request) text += chunk;
      response.writeHead(204).end();
    });
    await listening(server, { port: 0, host: '127.0.0.1' });
    const { port } = server.address() as AddressInfo;
    const options = { uri: `http://127.0.0.1:${port}/log`, headers: '{"authorization": "Bearer marker-credential"}' };
    expect((await enable({ type: 'http', options })).status).toBe(204);
    await service.ask('GET', 'secret/data/over-http');
    expectLines(text, 'secret/data/over-http');
    expect(credential).toBe('Bearer marker-credential');
    expect((await service.ask('GET', 'sys/audit')).text).not.toContain('marker-credential');
  });
});

test('devices are listed, at the top level as well, and disabled', async () => {
  const { device, file } = await fileDevice(service);
  const shown = await service.ask('GET', 'sys/audit');
  const entry = { path: `${device}/`, type: 'file', description: '', local: false, options: { file_path: file } };
  expect(shown.data).toEqual({ [`${device}/`]: entry });
  expect(shown.body[`${device}/`]).toEqual(entry);
  expect((await service.ask('GET', 'sys/audit/')).data).toEqual(shown.data);
  expect((await service.ask('GET', `sys/audit/${device}`)).data).toEqual(entry);
  expect((await service.ask('GET', 'sys/audit/none')).status).toBe(404);
  expect((await service.ask('DELETE', `sys/audit/${device}`)).status).toBe(204);
  const before = (await linesOf(file)).length;
  await service.ask('GET', 'secret/data/none');
  expect((await linesOf(file)).length).toBe(before);
  expect((await service.ask('DELETE', `sys/audit/${device}`)).status).toBe(204);
});

test('configured headers of requests are recorded, those with credentials as HMAC', async () => {
  const at = 'sys/config/auditing/request-headers';
  const { file } = await fileDevice(service);
  expect((await service.ask('POST', `${at}/X-Plain`, {})).status).toBe(204);
  expect((await service.ask('POST', `${at}/X-Hidden`, { hmac: true })).status).toBe(204);
  expect((await service.ask('POST', `${at}/Authorization`, { hmac: false })).status).toBe(204);
  const all = await service.ask('GET', at);
  expect(all.data).toEqual({
    headers: { 'x-plain': { hmac: false }, 'x-hidden': { hmac: true }, authorization: { hmac: true } },
  });
  expect(all.body['headers']).toEqual(all.data['headers']);
  expect((await service.ask('GET', `${at}/x-hidden`)).data).toEqual({ 'x-hidden': { hmac: true } });
  const headers = { 'x-plain': 'shown', 'x-hidden': 'marker-hidden', authorization: 'Bearer marker-bearer' };
  await service.ask('GET', 'secret/data/headers', undefined, { headers });
  const hmac = [expect.stringMatching(/^hmac-sha256:/)];
  expect((await linesOf(file)).at(-1)?.request['headers']).toEqual({
    'x-plain': ['shown'],
    'x-hidden': hmac,
    authorization: hmac,
  });
  for (const name of ['X-Plain', 'x-hidden', 'authorization'])
    expect((await service.ask('DELETE', `${at}/${name}`)).status).toBe(204);
  expect((await service.ask('GET', `${at}/x-plain`)).status).toBe(400);
  expect((await service.ask('POST', `${at}/x-plain`, { hmac: 'perhaps' })).status).toBe(400);
  expect((await service.ask('POST', `${at}/${'x'.repeat(200)}`, {})).status).toBe(400);
});

test('another process learns of a device, and a path has at most one device', async () => {
  const other = await openApi({ config: service.config, log: silentLog });
  ends.push(() => other.close());
  const { port } = await other.listen(0, '127.0.0.1');
  const { file } = await fileDevice(service);
  const ask = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method,
      headers: { 'x-service-token': service.rootToken },
      body: body === undefined ? null : JSON.stringify(body),
    });
  await eventually(async () => {
    await (await ask('GET', 'secret/data/from-other')).text();
    return (await linesOf(file)).some(({ request }) => request['path'] === 'secret/data/from-other');
  });
  const body = { type: 'file', options: { file_path: 'discard' } };
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) =>
      index % 2 === 0
        ? (await ask('POST', 'sys/audit/one-path', body)).status
        : (await service.ask('POST', 'sys/audit/one-path', body)).status,
    ),
  );
  expect(answers.filter((status) => status === 204)).toHaveLength(1);
  expect(answers.filter((status) => status === 400)).toHaveLength(19);
});
