import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { outerKeyBy } from '#key-services/outer-key.ts';
import { CipherError } from '#store/encryption/cipher.ts';
import type { SealRecord } from '#store/seal/record.ts';
import { newMaterial } from '#store/seal/start/material.ts';
import { fakeCloudAKms } from './fakes/cloud-a-kms.ts';
import { fakeCloudBKeys } from './fakes/cloud-b-keys.ts';
import { fakeCloudCKms } from './fakes/cloud-c-kms.ts';
import type { FakeKeyService } from './fakes/fake.ts';
import type { Fault } from './fakes/server.ts';

const calm = new AbortController().signal;
const rule = { shares: 0, threshold: 0 };

/** All services, each of which runs through all faults. */
const kinds: readonly (readonly [string, () => Promise<FakeKeyService>, boolean])[] = [
  ['cloud-a-kms', fakeCloudAKms, false],
  ['cloud-b-keys', fakeCloudBKeys, true],
  ['cloud-c-kms', fakeCloudCKms, true],
];

describe.each(kinds)('%s', (type, start, namesVersions) => {
  async function sealed() {
    const fake = await start();
    const outerKey = outerKeyBy(fake.service);
    const { record, rootKey } = await newMaterial(rule, outerKey, new Date());
    return { ...fake, outerKey, record, rootKey };
  }

  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('opens the root key that it wrapped, and records the key', async () => {
    const { outerKey, record, rootKey } = await sealed();
    expect(record).toMatchObject({ type, shares: 0, key_id: expect.stringContaining('one') });
    expect(outerKey.opens(record)).toBe(true);
    expect(await outerKey.openRootKey(record, calm)).toEqual(rootKey);
  });

  test('never sees the root key', async () => {
    const { outerKey, record, rootKey, server } = await sealed();
    await outerKey.openRootKey(record, calm);
    expect(server.requests.length).toBeGreaterThan(1);
    for (const request of server.requests)
      expect(spellings(rootKey).some((text) => request.includes(text))).toBe(false);
  });

  test('opens a root key of an earlier version, and wraps with the newest one', async () => {
    const { outerKey, record, rootKey, rotate } = await sealed();
    rotate();
    expect(await outerKey.openRootKey(record, calm)).toEqual(rootKey);
    const { keyId } = await outerKey.wrapRootKey(rootKey, record.cluster_id, calm);
    expect(keyId !== record.key_id).toBe(namesVersions);
  });

  test('another key of the service does not open it', async () => {
    const { record, other } = await sealed();
    const failure = await failureOf(outerKeyBy(other).openRootKey(record, calm));
    expect(failure).toBeInstanceOf(CipherError);
  });

  test('a row of another installation, or a modified one, does not open', async () => {
    const { outerKey, record } = await sealed();
    const changes: readonly Partial<SealRecord>[] = [
      { cluster_id: 'another' },
      { root_key: record.root_key.subarray(0, 40) },
      { root_key: Buffer.of() },
      { root_key: Buffer.concat([record.root_key.subarray(0, -1), Buffer.of(0)]) },
    ];
    for (const change of changes) {
      expect(await failureOf(outerKey.openRootKey({ ...record, ...change }, calm))).toBeInstanceOf(CipherError);
    }
  });

  const advice = [
    ['denied', /refused .* with .*one.*: grant .* to the identity of this process/],
    ['credentials', /the credentials of this process are missing, wrong or expired/],
    ['disabled', /the key is disabled or scheduled for deletion: enable it/],
    ['missing', /the key does not exist: correct KEYFERRY_SEAL_KEY_ID; a deleted key must be recovered/],
    ['busy', /the service is busy/],
    ['resets', /at 127\.0\.0\.1:\d+ cannot be reached/],
    ['empty', /answered without a/],
    ['garbage', /answered without a/],
    ['huge', /is too long/],
  ] as const satisfies readonly (readonly [Fault, RegExp])[];

  test.each(advice)('%s: the failure has advice, and the call may be retried', async (fault, message) => {
    const { outerKey, record, rootKey, server } = await sealed();
    server.fault = fault;
    const unavailable = expect.objectContaining({ kind: 'unavailable', message: expect.stringMatching(message) });
    expect(await failureOf(outerKey.openRootKey(record, calm))).toEqual(unavailable);
    expect(await failureOf(outerKey.wrapRootKey(rootKey, record.cluster_id, calm))).toEqual(unavailable);
    server.fault = undefined;
    expect(await outerKey.openRootKey(record, calm)).toEqual(rootKey);
  });

  test('a late answer is accepted', async () => {
    const { outerKey, record, rootKey, server } = await sealed();
    server.fault = 'late';
    expect(await outerKey.openRootKey(record, calm)).toEqual(rootKey);
  });

  test('a call that hangs ends with the signal', async () => {
    const { outerKey, record, server } = await sealed();
    server.fault = 'hangs';
    const failure = await failureOf(outerKey.openRootKey(record, AbortSignal.timeout(50)));
    expect(failure).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('did not answer') });
  });

  test('a service that returns another key is detected', async () => {
    const { outerKey, record, rootKey, server } = await sealed();
    server.fault = 'foreign';
    expect(await failureOf(outerKey.openRootKey(record, calm))).toBeInstanceOf(CipherError);
    const wrapping = await failureOf(outerKey.wrapRootKey(rootKey, record.cluster_id, calm));
    expect(wrapping).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('unwraps a different key'),
    });
    server.fault = 'short';
    const failure = await failureOf(outerKey.openRootKey(record, calm));
    expect(failure).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('16 bytes for a key of 32'),
    });
  });

  test('a service that echoes the key is detected before anything is stored', async () => {
    const { outerKey, record, rootKey, server } = await sealed();
    server.fault = 'echo';
    const failure = await failureOf(outerKey.wrapRootKey(rootKey, record.cluster_id, calm));
    expect(failure).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('returned the key unwrapped'),
    });
  });

  test('no failure shows the keys that were sent', async () => {
    const { outerKey, record, rootKey, server } = await sealed();
    const failures: unknown[] = [];
    for (const fault of ['echo', 'foreign', 'short', 'empty', 'denied', 'resets', 'garbage'] as const) {
      server.fault = fault;
      failures.push(await failureOf(outerKey.openRootKey(record, calm)));
      failures.push(await failureOf(outerKey.wrapRootKey(rootKey, record.cluster_id, calm)));
    }
    const shown = inspect(failures, { depth: null, maxStringLength: null, maxArrayLength: null });
    for (const sent of server.requests.flatMap(keysIn)) {
      for (const text of spellings(sent)) expect(shown).not.toContain(text);
    }
    for (const text of spellings(rootKey)) expect(shown).not.toContain(text);
  });
});

test('a call without an answer ends at the deadline', { timeout: 30_000 }, async () => {
  const { server, service } = await fakeCloudAKms();
  server.fault = 'hangs';
  await expect(service.wrap(randomBytes(32), 'x', calm)).rejects.toThrow(/did not answer within 5000 ms/);
});

const spellings = (key: Buffer): readonly string[] => [
  key.toString('hex'),
  key.toString('base64'),
  key.toString('base64url'),
  inspect(key).slice(8, 60),
];

/** The keys of 32 bytes in a request. */
const keysIn = (request: string): readonly Buffer[] =>
  Object.values(JSON.parse(request) as Record<string, unknown>)
    .filter((value) => typeof value === 'string')
    .map((value) => Buffer.from(value, value.includes('-') || value.includes('_') ? 'base64url' : 'base64'))
    .filter((bytes) => bytes.length === 32);
