import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpServer } from '#http/server/server.ts';
import { fuzzing, runs } from '#test/support/fuzz.ts';
import { sampleServer } from '../../sample.ts';
import { conversation, head, sizes } from './conversations.ts';

let server: HttpServer;
let open: Readonly<Record<'plain' | 'TLS', () => Promise<Socket>>>;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-tls-'));
  const tls = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  await Promise.all([writeFile(tls.certificateFile, cert), writeFile(tls.keyFile, key)]);
  server = sampleServer();
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const { port: tlsPort } = await server.listen({ port: 0, host: '127.0.0.1', tls });
  await rm(folder, { recursive: true });
  open = {
    plain: () => opened(connect(port, '127.0.0.1'), 'connect'),
    TLS: () =>
      opened(connectTls({ port: tlsPort, host: '127.0.0.1', ca: cert, servername: 'localhost' }), 'secureConnect'),
  };
});
afterAll(() => server.close(0));

async function opened(socket: Socket, event: string): Promise<Socket> {
  socket.setNoDelay(true);
  await once(socket, event);
  return socket;
}

/** Sends bytes in pieces of these sizes, in turn, and returns everything received until the server closed. */
async function say(socket: Socket, bytes: string, sizes: readonly number[]): Promise<string> {
  let answers = '';
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString('latin1');
  });
  // The server may close while the client is still sending.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (let at = 0, turn = 0; at < bytes.length && !socket.destroyed; turn += 1) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    socket.write(bytes.slice(at, end), 'latin1');
    at = end;
    // A refusal must be read before the next write, which would fail and lose it.
    for (let phase = 0; phase < 3; phase += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return answers;
}

/** The parts of an answer that differ between runs. */
const withoutChance = (answers: string): string =>
  answers
    .replace(/^(date|x-request-id): .*$/gim, '$1')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');

const statuses = (answers: string): readonly number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)).filter((status) => status !== 100);

const whole = [Number.MAX_SAFE_INTEGER];

/** Long conversations are not sent byte by byte. */
const fitting = (bytes: string, split: readonly number[]): readonly number[] =>
  bytes.length / Math.max(...split) > 600 ? [...split, Math.ceil(bytes.length / 40)] : split;

describe.each([
  ['plain', 200],
  ['TLS', 80],
] as const)('a conversation over %s', (how, count) => {
  test('gets the same answers however its bytes are split, one for each request', fuzzing, async () => {
    const property = fc.asyncProperty(conversation, sizes, async ([requests, last], split) => {
      const bytes = `${requests.join('')}${last} /v1/secret/last HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
      // Every run writes the same, so the first run needs no special treatment.
      await say(
        await open[how](),
        `PUT /v1/secret/a HTTP/1.1\r\n${head}Connection: close\r\nContent-Length: 2\r\n\r\n{}`,
        whole,
      );
      const [once, split2] = [
        await say(await open[how](), bytes, whole),
        await say(await open[how](), bytes, fitting(bytes, split)),
      ];
      expect(withoutChance(split2)).toBe(withoutChance(once));
      expect(statuses(once)).toHaveLength(requests.length + 1);
    });
    await fc.assert(property, runs(count));
  });

  test('that continues with garbage is refused and ends, however it is split', fuzzing, async () => {
    const garbage = fc.oneof(
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }).filter((text) => /[^\r\n]/.test(text)),
      fc.constantFrom(
        'LIST',
        'LIST /v1/secret',
        'LISTEN / HTTP/1.1',
        'LIST  / HTTP/1.1',
        ' LIST / HTTP/1.1',
        'PRI * HTTP/2.0',
      ),
      fc.constantFrom('POST /v1/secret/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz', '\x16\x03\x01\x02\0\x01'),
    );
    const property = fc.asyncProperty(garbage, sizes, fc.boolean(), async (text, split, first) => {
      const socket = await open[how]();
      const before = first ? `LIST /v1/secret HTTP/1.1\r\n${head}\r\n` : '';
      const answers = statuses(await say(socket, `${before}${text}\r\n\r\n\r\n\r\n`, split));
      expect(answers.at(-1)).toBeGreaterThanOrEqual(400);
      expect(answers.at(-1)).toBeLessThan(500);
    });
    await fc.assert(property, runs(count));
  });
});
