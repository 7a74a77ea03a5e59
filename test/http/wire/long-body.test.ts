import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ArrivalLimits, longBody, mayArriveLate } from '#http/wire/connection/long-body.ts';
import { patience } from '../../support/measures/patience.ts';

const patient: ArrivalLimits = {
  silenceMsMax: patience.testMs,
  totalMsMax: patience.testMs,
  restMsMax: patience.testMs,
};

async function readAll(stream: PassThrough, limits = patient): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of longBody(stream, limits)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('a body arrives as sent, and its connection may be late only during the arrival', async () => {
  const stream = new PassThrough();
  expect(mayArriveLate(stream)).toBe(false);
  const reading = readAll(stream);
  stream.write('one ');
  await delay(0);
  expect(mayArriveLate(stream)).toBe(true);
  stream.end('two');
  expect(await reading).toBe('one two');
  expect(mayArriveLate(stream)).toBe(false);
});

test('a sender that is silent for too long is cut off', async () => {
  const stream = new PassThrough();
  stream.write('one');
  await expect(readAll(stream, { ...patient, silenceMsMax: 20 })).rejects.toThrow('too long');
  expect(stream.destroyed).toBe(true);
});

test('a sender that is slow for too long is cut off', async () => {
  const stream = new PassThrough();
  const trickle = setInterval(() => stream.write('x'), 1);
  stream.on('error', () => {}).on('close', () => clearInterval(trickle));
  await expect(readAll(stream, { ...patient, totalMsMax: 50 })).rejects.toThrow('too long');
});

test('the unread rest of a late body ends its connection', async () => {
  const stream = new PassThrough();
  stream.on('error', () => {});
  stream.write('one');
  const reading = longBody(stream, { ...patient, restMsMax: 10 });
  await reading.next();
  mayArriveLate(stream);
  await reading.return(undefined);
  await expect.poll(() => stream.destroyed).toBe(true);
});

test('the time that a reader takes does not count', async () => {
  const stream = new PassThrough();
  stream.write('one');
  const reading = longBody(stream, { ...patient, silenceMsMax: 30 });
  await reading.next();
  await delay(60);
  stream.end('two');
  expect((await reading.next()).value?.toString()).toBe('two');
  expect((await reading.next()).done).toBe(true);
});
