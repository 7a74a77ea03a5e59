import { expect, test } from 'vitest';
import { BodiesInFlight, wholeBody } from '#workspaces/resources/vcs-webhooks/in-flight.ts';

const mebibyte = 1024 * 1024;

test('an address holds 8 MiB of unverified bodies at most, and gets room again when one ends', () => {
  const bodies = new BodiesInFlight();
  const release = bodies.reserve('192.0.2.1', 4 * mebibyte);
  bodies.reserve('192.0.2.1', 4 * mebibyte);
  expect(() => bodies.reserve('192.0.2.1', 1)).toThrow(expect.objectContaining({ status: 503 }));
  expect(() => bodies.reserve('192.0.2.2', 4 * mebibyte)).not.toThrow();
  release();
  expect(() => bodies.reserve('192.0.2.1', 4 * mebibyte)).not.toThrow();
});

test('all addresses together hold 32 MiB at most', () => {
  const bodies = new BodiesInFlight();
  const releases = Array.from({ length: 8 }, (_, at) => bodies.reserve(`192.0.2.${at}`, 4 * mebibyte));
  expect(() => bodies.reserve('192.0.2.99', 1)).toThrow(expect.objectContaining({ status: 503 }));
  for (const release of releases) release();
  expect(() => bodies.reserve('192.0.2.99', 4 * mebibyte)).not.toThrow();
});

test('a body that does not arrive in time is refused', async () => {
  const deadline = new AbortController();
  const never = Promise.withResolvers<never>();
  async function* slow() {
    yield Buffer.from('first');
    await never.promise;
  }
  const read = wholeBody(slow(), deadline.signal);
  deadline.abort();
  await expect(read).rejects.toMatchObject({ status: 503 });
  async function* whole() {
    yield Buffer.from('a');
    yield Buffer.from('b');
  }
  expect(String(await wholeBody(whole(), new AbortController().signal))).toBe('ab');
});
