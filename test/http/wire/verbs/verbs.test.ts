import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HttpServer } from '#http/server/server.ts';
import { sampleServer } from '../../sample.ts';
import { type RawClient, rawClient } from '../raw.ts';

let server: HttpServer;
let client: RawClient;
const head = 'Host: x\r\nX-Service-Token: root\r\n';
const list = (path = 'secret') => `LIST /v1/${path} HTTP/1.1\r\n${head}\r\n`;
const read = `GET /v1/sys/flat HTTP/1.1\r\n${head}\r\n`;
const post = (body: string) =>
  `POST /v1/versioned/data/a HTTP/1.1\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

beforeEach(async () => {
  server = sampleServer();
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  await server.inject({
    method: 'POST',
    url: '/v1/secret/a',
    headers: { 'x-service-token': 'root' },
    payload: '{"x":1}',
  });
  client = await rawClient(port);
});

afterEach(async () => {
  client.close();
  await server.close(0);
});

const keys = (body: string) => JSON.parse(body).data.keys;

describe('the verb LIST', () => {
  test('lists', async () => {
    await client.send(list());
    const { status, head: answer, body } = await client.next();
    expect(status).toBe(200);
    expect(keys(body)).toEqual(['a']);
    expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/);
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/);
  });

  test('may arrive byte by byte, like a whole conversation', async () => {
    await client.drip(list() + post('{"data":{"a":1}}') + list() + read);
    expect(keys((await client.next()).body)).toEqual(['a']);
    expect((await client.next()).status).toBe(200);
    expect(keys((await client.next()).body)).toEqual(['a']);
    expect((await client.next()).status).toBe(200);
  });

  test.each([1, 2, 3, 4, 5, 6, 20])('may be split after %i bytes', async (at) => {
    await client.send(list().slice(0, at));
    await new Promise((resolve) => setImmediate(resolve));
    await client.send(list().slice(at));
    expect((await client.next()).status).toBe(200);
  });

  test('works two hundred times on one connection, mixed with bodies that look like requests', async () => {
    const body = '{"data":{"text":"\\r\\n\\r\\nLIST /x HTTP/1.1"}}\r\n\r\n';
    const stored = JSON.parse(body).data;
    for (let round = 0; round < 200; round += 1) {
      await client.send(list());
      expect((await client.next()).status).toBe(200);
      await client.send(post(body));
      expect((await client.next()).status).toBe(200);
    }
    await client.send(`GET /v1/versioned/data/a HTTP/1.1\r\n${head}\r\n`);
    expect(JSON.parse((await client.next()).body).data.data).toEqual(stored);
  });

  test('is answered in order when requests are pipelined', async () => {
    await client.send([list(), list('nowhere'), post('{"data":{}}'), list(), '\r\n', read].join(''));
    const statuses = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await client.next()).status);
    expect(statuses).toEqual([200, 404, 200, 200, 200]);
  });

  test('may have a body', async () => {
    const bodied = `LIST /v1/secret HTTP/1.1\r\n${head}Content-Length: 16\r\n\r\nLIST /x HTTP/1.1`;
    await client.send(bodied + bodied);
    expect((await client.next()).status).toBe(200);
    expect((await client.next()).status).toBe(200);
  });
});

describe('bodies are not altered', () => {
  /** Sizes that put a verb at the start of a chunk, of a packet, and of the body. */
  const bodies = ['"LIST /v1/x HTTP/1.1\\r\\n"', '"SCAN /x HTTP/1.1"', '"HELP /x"', '"LINK /x HTTP/1.1"'];

  test.each(bodies)('with a length: %s', async (text) => {
    await client.send(post(`{"data":{"text":${text}}}`));
    expect((await client.next()).status).toBe(200);
    await client.send(`GET /v1/versioned/data/a HTTP/1.1\r\n${head}\r\n`);
    expect(JSON.parse((await client.next()).body).data.data).toEqual({ text: JSON.parse(text) });
  });

  const chunk = (text: string) => `${text.length.toString(16)};note=LIST\r\n${text}\r\n`;
  const chunked = (pieces: readonly string[]) =>
    `POST /v1/versioned/data/a HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${pieces.map(chunk).join('')}0\r\nLIST: /trailer HTTP/1.1\r\n\r\n`;

  test.each(['whole', 'byte by byte'])('in chunks that begin with a verb, sent %s', async (how) => {
    const pieces = ['{"data":{"text":"', 'LIST /x HTTP/1.1', '\\r\\n\\r\\n', 'LIST /x HTTP/1.1', '"}}'];
    const bytes = chunked(pieces) + list();
    if (how === 'whole') await client.send(bytes);
    else await client.drip(bytes);
    expect((await client.next()).status).toBe(200);
    expect((await client.next()).status).toBe(200);
    await client.send(`GET /v1/versioned/data/a HTTP/1.1\r\n${head}\r\n`);
    expect(JSON.parse((await client.next()).body).data.data).toEqual({
      text: 'LIST /x HTTP/1.1\r\n\r\nLIST /x HTTP/1.1',
    });
  });

  test('after an Expect, and the following listing still works', async () => {
    const body = '{"data":{"text":"LIST / HTTP/1.1"}}';
    await client.send(
      `POST /v1/versioned/data/a HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    expect((await client.next()).status).toBe(100);
    await client.send(body + list());
    expect((await client.next()).status).toBe(200);
    expect((await client.next()).status).toBe(200);
  });
});

describe('other verbs:', () => {
  test.each(['LINK', 'BIND', 'COPY', 'LOCK', 'SCAN'])(
    '%s from a client is 405 and has no other effect',
    async (verb) => {
      await client.send(`${verb} /v1/secret HTTP/1.1\r\n${head}\r\n`);
      expect(await client.next()).toMatchObject({ status: 405, body: '{"errors":[]}' });
      await client.send(list());
      expect((await client.next()).status).toBe(200);
    },
  );

  test('HELP requests the help', async () => {
    await client.send(`HELP /v1/secret/a HTTP/1.1\r\n${head}\r\n`);
    expect(JSON.parse((await client.next()).body).help).toContain('# secret/a');
  });

  test('an unknown verb is 405, and the connection ends', async () => {
    await client.send(`LISTEN /v1/secret HTTP/1.1\r\n${head}\r\n`);
    expect(await client.next()).toMatchObject({ status: 405, body: '{"errors":[]}' });
    await client.ended();
  });

  test('an upgrade is ignored, and the connection stays open', async () => {
    await client.send(`GET /v1/sys/flat HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`);
    expect((await client.next()).status).toBe(200);
    await client.send(list());
    expect((await client.next()).status).toBe(200);
  });

  test('CONNECT ends the connection', async () => {
    await client.send(`CONNECT x:1 HTTP/1.1\r\n${head}\r\n`);
    await client.ended();
  });
});

describe('ambiguous framing', () => {
  test.each([
    ['two lengths', 'Content-Length: 3\r\nContent-Length: 4\r\n'],
    ['a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n'],
    ['an unknown coding', 'Transfer-Encoding: gzip\r\n'],
    ['an invalid length', 'Content-Length: -3\r\n'],
    ['a folded line', 'X: y\r\n z\r\nContent-Length : 3\r\n'],
  ])('%s is refused and ends the connection', async (_name, headers) => {
    await client.send(`POST /v1/versioned/data/a HTTP/1.1\r\n${head}${headers}\r\nabcLIST / HTTP/1.1\r\n\r\n`);
    expect((await client.next()).status).toBe(400);
    await client.ended();
  });

  test('a chunk of a bad size is refused', async () => {
    await client.send(`POST /v1/versioned/data/a HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expect((await client.next()).status).toBe(400);
    await client.ended();
  });

  test('an HTTP/1.0 request is answered, and its connection ends', async () => {
    await client.send(`GET /v1/sys/flat HTTP/1.0\r\n${head}\r\n`);
    expect((await client.next()).status).toBe(200);
    await client.ended();
  });
});
