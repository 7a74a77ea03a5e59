import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { yieldToOthers } from '#core/concurrency/yielding.ts';
import { JsonReader } from '#core/json/reader.ts';
import type { Secret } from '#core/secret.ts';
import type { HttpServer } from '#http/server/server.ts';
import { leastProcessorMs } from '#test/support/measures/processor-time.ts';
import { fakeGatekeeper, type SampleParts, sampleServer } from '../../sample.ts';
import { type RawClient, rawClient } from '../raw.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

const kib = 1024;
const small = 64 * kib;

async function start(changes: Partial<SampleParts> = {}) {
  const gatekeeper = fakeGatekeeper();
  const asked: string[] = [];
  const authenticate = (token: Secret) => {
    asked.push(token.reveal());
    return gatekeeper.authenticate(token);
  };
  const parts = { gatekeeper: { ...gatekeeper, authenticate }, bodyLimitBytes: 32 * kib * kib, ...changes };
  const server = sampleServer(parts);
  open.push(server);
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const connect = async () => {
    const client = await rawClient(port);
    onTestFinished(() => client.close());
    return client;
  };
  return { server, asked, connect, client: await connect() };
}

const head = (path: string, more: string) => `POST /v1/${path} HTTP/1.1\r\nHost: x\r\n${more}`;
const token = 'X-Service-Token: root\r\n';
const ofLength = (length: number) => `Content-Length: ${length}\r\n\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const flat = `GET /v1/sys/flat HTTP/1.1\r\nHost: x\r\n${token}\r\n`;
const secret = (size: number) => `{"data":{"a":"${'x'.repeat(size)}"}}`;

const errorsOf = ({ body }: { readonly body: string }): unknown => JSON.parse(body).errors;

describe('a large body', () => {
  test('without a valid token is refused before it arrives', async () => {
    const { client } = await start();
    await client.send(head('versioned/data/a', ofLength(30 * kib * kib)));
    expect(await client.next()).toMatchObject({ status: 403, body: '{"errors":["permission denied"]}' });
  });

  test('in chunks without a valid token is refused after the first 64 KiB', async () => {
    const { client, asked } = await start();
    await client.send(head('versioned/data/a', chunked) + chunk('['.repeat(small)));
    await client.send(chunk('['));
    expect((await client.next()).status).toBe(403);
    expect(asked).toEqual([]);
    await client.send(`${chunk('x')}0\r\n\r\n${flat}`);
    expect((await client.next()).status).toBe(200);
  });

  test('is limited to 64 KiB on a path that needs no token', async () => {
    const { client } = await start();
    const login = (size: number) => JSON.stringify({ role: 'r', password: 'x'.repeat(size) });
    const within = login(small - 26);
    expect(within.length).toBe(small);
    await client.send(head('sys/login', ofLength(small)) + within);
    expect((await client.next()).status).toBe(200);
    await client.send(head('sys/login', ofLength(small + 1)) + login(small - 25) + flat);
    const refused = await client.next();
    expect(refused.status).toBe(413);
    expect(errorsOf(refused)).toEqual(['request body too large: this path takes at most 65536 bytes']);
    expect((await client.next()).status).toBe(200);
  });

  test('is limited to 1 MiB on a path that stores no secret', async () => {
    const { client } = await start();
    const body = JSON.stringify({ token: 'x'.repeat(kib), other: 'x'.repeat(1_000 * kib) });
    await client.send(head('sys/sync/destinations/x/y', token + ofLength(body.length)) + body);
    expect((await client.next()).status).toBe(200);
    await client.send(head('sys/sync/destinations/x/y', token + ofLength(kib * kib + 1)) + 'x'.repeat(kib * kib + 1));
    const refused = await client.next();
    expect(refused.status).toBe(413);
    expect(errorsOf(refused)).toEqual(['request body too large: this path takes at most 1048576 bytes']);
  });

  test.each([
    ['sealed', 'versioned/data/a', { state: () => 'sealed' } as const, 503],
    ['a folder', 'versioned/data/a/', {}, 400],
    ['an unknown path', 'versioned/none', {}, 404],
    ['an unknown operation', 'sys/health', {}, 405],
    ['an unknown mount', 'nowhere/a', {}, 404],
  ])('%s is answered without reading it', async (_what, path, changes, status) => {
    const { client } = await start(changes);
    await client.send(head(path, token + ofLength(30 * kib * kib)));
    expect((await client.next()).status).toBe(status);
  });

  test('causes one look-up of its token', async () => {
    const { client, asked } = await start();
    const body = secret(2 * small);
    await client.send(head('versioned/data/a', token + ofLength(body.length)) + body);
    expect((await client.next()).status).toBe(200);
    expect(asked).toEqual(['root']);
  });
});

describe('the memory for bodies', () => {
  const limits = { bodyLimitBytes: 1000 * kib, largeBodiesBytesMax: 1000 * kib };

  test('refuses a body with 503 that does not fit beside the large bodies in flight, until they are answered', async () => {
    const { connect, client } = await start(limits);
    const body = secret(600 * kib);
    await client.send(head('versioned/data/a', token + ofLength(body.length)) + body.slice(0, 1000));
    const other = await connect();
    await untilRefused(other, () => head('versioned/data/b', token + ofLength(body.length)) + body);
    await client.send(body.slice(1000));
    expect((await client.next()).status).toBe(200);
    await other.send(head('versioned/data/b', token + ofLength(body.length)) + body);
    expect((await other.next()).status).toBe(200);
  });

  test('refuses a body in chunks with 503 when it is exhausted', async () => {
    const { connect, client } = await start(limits);
    const body = secret(600 * kib);
    await client.send(head('versioned/data/a', token + ofLength(body.length)) + body.slice(0, 1000));
    const other = await connect();
    const whole = `${head('versioned/data/b', token + chunked) + chunk(body)}0\r\n\r\n`;
    await untilRefused(other, () => whole);
  });

  test('counts members too, so that many small bodies cannot hold more than a few large ones', async () => {
    const { connect } = await start();
    const body = `{"data":{"a":[${'1,'.repeat(45_000)}1]}}`;
    const slow: RawClient[] = [];
    for (let index = 0; index < 8; index += 1) {
      const client = await connect();
      await client.send(head('versioned/data/a', token + ofLength(body.length + 1)) + body);
      slow.push(client);
    }
    const statuses = await Promise.all(
      slow.map(async (client) => {
        await client.send(' ');
        return (await client.next()).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    const last = await connect();
    await last.send(head('versioned/data/a', token + ofLength(body.length)) + body);
    expect((await last.next()).status).toBe(200);
  });

  test('drops bodies of slow senders for others, the oldest first', async () => {
    const { connect } = await start();
    const slow: RawClient[] = [];
    const almost = 'x'.repeat(small - 1000);
    for (let index = 0; index < 280; index += 1) {
      const client = await connect();
      await client.send(head('versioned/data/a', token + ofLength(small)) + almost);
      slow.push(client);
    }
    const [first] = slow;
    const refused = await first?.next();
    expect(refused).toMatchObject({ status: 503, body: expect.stringContaining('too many large requests at once') });
    expect(refused?.head).toContain('retry-after: 1');
    const quick = await connect();
    await quick.send(`${head('versioned/data/a', token + ofLength(secret(small / 2).length))}${secret(small / 2)}`);
    expect((await quick.next()).status).toBe(200);
  });
});

/** Repeats a request until it is refused, because the other body counts once its first bytes have been read. */
async function untilRefused(client: RawClient, bytes: () => string): Promise<void> {
  for (;;) {
    await client.send(bytes());
    const answer = await client.next();
    if (answer.status !== 503) continue;
    expect(answer.head).toContain('retry-after: 1');
    expect(errorsOf(answer)).toEqual(['too many large requests at once: nothing was done; try again later']);
    return;
  }
}

describe('the work for a body', () => {
  test('a form that repeats a field is refused, or read in time proportional to its size', async () => {
    const { server } = await start();
    const send = (count: number) =>
      server.inject({
        method: 'POST',
        url: '/v1/sys/sync/destinations/x/y',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-service-token': 'root' },
        payload: 'a=1&'.repeat(count).slice(0, -1),
      });
    expect((await send(1_000)).statusCode).toBe(200);
    const many = await send(1_001);
    expect([many.statusCode, many.json()]).toEqual([
      400,
      { errors: ['the form has more than 1000 fields; send JSON'] },
    ]);
    const long = await send(16_385);
    expect(long.statusCode).toBe(413);
    expect(long.json().errors[0]).toContain('a form takes at most 65536 bytes; send JSON');
  });

  test.each([
    ['members', `{"data":{"a":[${'1,'.repeat(50_000)}1]}}`, 'it has more than 50000 members'],
    ['levels', `{"data":${'['.repeat(100_000)}`, 'it is nested deeper than 500 levels'],
    ['a duplicate key', `{"data":{"a":"${'x'.repeat(small)}","a":1}}`, 'an object has a duplicate key'],
    ['no JSON', `{"data":{"a":"${'x'.repeat(small)}",}`, 'invalid JSON at character 65552'],
    ['no object', `["${'x'.repeat(2 * small)}"]`, 'expected an object, got an array'],
    ['a text', `"${'x'.repeat(2 * small)}"`, 'expected an object, got a string'],
  ])('in a large one, %s is refused', async (_what, body, problem) => {
    for (const framed of [ofLength(body.length) + body, `${chunked}${chunk(body)}0\r\n\r\n`]) {
      const { client } = await start();
      await client.send(head('versioned/data/a', token + framed) + flat);
      const refused = await client.next();
      expect(refused.status).toBe(400);
      expect(errorsOf(refused)).toEqual([expect.stringContaining(`failed to decode JSON input: ${problem}`)]);
      expect((await client.next()).status).toBe(200);
    }
  });

  test('invalid UTF-8 is refused wherever it is, and characters stay whole wherever they are cut', async () => {
    const { client } = await start();
    const body = Buffer.from(`{"data":{"a":"${'x中é😀'.repeat(20_000)}"}}`);
    for (const shift of [0, 1, 2, 3]) {
      const shifted = Buffer.concat([Buffer.from(' '.repeat(shift)), body]);
      await client.send(head('versioned/data/a', token + ofLength(shifted.length)));
      await client.send(shifted);
      expect((await client.next()).status).toBe(200);
    }
    for (const at of [20, 32_768, 65_000, body.length - 5]) {
      const broken = Buffer.from(body);
      broken[at] = 0xff;
      await client.send(head('versioned/data/a', token + ofLength(broken.length)));
      await client.send(broken);
      const refused = await client.next();
      expect(refused.status).toBe(400);
      expect(refused.body).toContain('not valid UTF-8');
    }
  });

  test('a large secret is returned as it was sent', async () => {
    const { client, server } = await start();
    const texts = { plain: 'x'.repeat(3 * small), escaped: '"\\\n\u0001é中😀'.repeat(small / 4), short: 'x' };
    const data = { ...texts, list: [{ deep: texts }, 1, null, true] };
    const body = Buffer.from(JSON.stringify({ data }));
    await client.send(head('versioned/data/a', token + ofLength(body.length)));
    await client.send(body);
    expect((await client.next()).status).toBe(200);
    const headers = { 'x-service-token': 'root' };
    const reply = await server.inject({ method: 'GET', url: '/v1/versioned/data/a', headers });
    expect(reply.json().data.data).toEqual(data);
  });

  test('no body blocks the event loop', async () => {
    const { client } = await start();
    const bodies = [
      `{"data":{"a":[${'1.0,'.repeat(49_000)}1]}}`,
      `{"data":{"a":"${'\\n'.repeat(4_000_000)}"}}`,
      `{"data":{"a":${' '.repeat(8_000_000)}1}}`,
      `{"data":{${Array.from({ length: 49_000 }, (_, index) => `"${index}":"${'\\u00e9'.repeat(20)}"`).join()}}}`,
    ];
    for (const body of bodies) {
      const atOnce = leastProcessorMs(() => readAtOnce(body), 2);
      const stop = longestHold();
      await client.send(head('versioned/data/a', token + ofLength(body.length)) + body);
      expect((await client.next()).status).toBe(200);
      // Without pauses this would be longer than reading the whole body alone.
      expect(stop()).toBeLessThan(Math.max(atOnce, 50));
    }
  });
});

function readAtOnce(body: string): void {
  const reader = new JsonReader({ levelsMax: 500, membersMax: 50_000 });
  reader.read(body);
  reader.end();
}

/** The longest CPU time between two ticks of a timer, in milliseconds. */
function longestHold(): () => number {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1_000);
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

test('long tasks take turns: one continues in each round, however many there are', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let turn = 1; turn <= 3; turn += 1) {
      await yieldToOthers();
      order.push(`${name}${turn}`);
    }
  };
  const rounds = (async () => {
    for (let round = 0; round < 4; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('|');
    }
  })();
  await Promise.all([work('a'), work('b'), rounds]);
  expect(order.filter((step) => step !== '|')).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  expect(order.join(' ')).toMatch(/^\| \w+ \| \w+ \| \w+ \|/);
});
