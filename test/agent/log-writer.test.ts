import { expect, test } from 'vitest';
import { Refused } from '#agent/api/send.ts';
import { LogWriter } from '#agent/log/writer.ts';
import { Mask } from '#core/log/mask.ts';

const kilobyte = 1_024;
const megabyte = kilobyte * kilobyte;

/** The log of a job on a server that answers when `open` resolves. */
function received(open: () => Promise<void> = async () => {}) {
  const pieces: Buffer[] = [];
  const buffers = new Set<ArrayBufferLike>();
  let size = 7;
  const log = async (offset = 0, bytes: Uint8Array = new Uint8Array(0)) => {
    expect(offset).toBe(size);
    buffers.add(bytes.buffer);
    const before = Buffer.from(bytes);
    await open();
    expect(before.equals(bytes), 'the bytes stay until they are stored').toBe(true);
    pieces.push(before);
    size += bytes.length;
    return size;
  };
  return { job: { log }, start: size, pieces, buffers, text: () => Buffer.concat(pieces).toString() };
}

test('a long log is sent in order, in pieces of limited size, and memory is used again', async () => {
  const { job, start, pieces, buffers, text } = received();
  const writer = new LogWriter(job, new Mask([]), start);
  const line = `${'é€😀 '.repeat(900)}\n`;
  const all = Buffer.from(line.repeat(1_000));
  // No multiple of the length of a character.
  for (let at = 0; at < all.length; at += 65_521) await writer.write(all.subarray(at, at + 65_521));
  await writer.end();
  expect(all.length).toBeGreaterThan(8 * megabyte);
  expect(text() === all.toString()).toBe(true);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(512 * kilobyte);
  expect(buffers.size).toBeLessThanOrEqual(5);
});

test('the engine waits while much waits to be sent', async () => {
  const gate = Promise.withResolvers<void>();
  const { job, start, text } = received(() => gate.promise);
  const writer = new LogWriter(job, new Mask([]), start);
  let taken = 0;
  const writing = (async () => {
    for (let at = 0; at < 64; at += 1) {
      await writer.write(Buffer.alloc(64 * kilobyte, 'x'));
      taken += 1;
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(taken).toBeLessThanOrEqual(16);
  gate.resolve();
  await writing;
  await writer.end();
  expect(text()).toBe('x'.repeat(4 * megabyte));
});

test('a secret is masked wherever pieces of the output, of memory and of requests end', async () => {
  const { job, start, text } = received();
  const writer = new LogWriter(job, new Mask(['sécret-value']), start);
  const secret = Buffer.from('sécret-value');
  const shown: string[] = [];
  for (let cut = 0; cut <= secret.length; cut += 1) {
    const filler = 'x'.repeat(512 * kilobyte - 6 - cut);
    await writer.write(Buffer.concat([Buffer.from(filler), secret.subarray(0, cut)]));
    await writer.write(secret.subarray(cut));
    shown.push(`${filler}***`);
  }
  await writer.end();
  expect(text() === shown.join('')).toBe(true);
});

test('what the server refuses is not sent again, and nothing waits behind it', async () => {
  let calls = 0;
  const log = async () => {
    calls += 1;
    throw new Refused('POST', 401, '');
  };
  const writer = new LogWriter({ log }, new Mask([]), 0);
  await expect(writer.write(Buffer.alloc(2 * megabyte, 'x'))).rejects.toThrow('401');
  await expect(writer.write(Buffer.alloc(2 * megabyte, 'x'))).rejects.toThrow('401');
  await expect(writer.end()).rejects.toThrow('401');
  expect(calls).toBe(1);
});
