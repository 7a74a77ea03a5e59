import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '#destinations/contract.ts';
import { type RepoHostFake, startFake } from '#destinations/repo-host/fake/index.ts';

import { isSameVersion } from '#destinations/repo-host/put/versions.ts';
import { strictPolicy } from '../../support/network/policy.ts';

import { calm, contextFor, failureOf, item, open } from './connection.ts';

let fake: RepoHostFake;
let driver: Driver;

beforeEach(async () => {
  fake = await startFake();
  driver = open(fake);
});

afterEach(async () => {
  await driver.close();
  await fake.close();
});

const versionOf = (found: Awaited<ReturnType<Driver['inspect']>>): string =>
  typeof found === 'object' ? (found.remoteVersion ?? '') : '';
const callsSince = (before: ReadonlyMap<string, number>) =>
  Object.fromEntries(
    [...fake.calls()]
      .map(([operation, count]): [string, number] => [operation, count - (before.get(operation) ?? 0)])
      .filter(([, count]) => count > 0),
  );
const stored = (name: string) => fake.objects().get(name)?.value;
const remove = (name: string) => driver.remove({ name, mark: '', remoteVersion: null }, calm());

describe('put', () => {
  it.each([
    ['unicode and line breaks', 'grüße 😀\n\r\n\tend\n'],
    ['an empty text', ''],
    ['a null character', 'a\u0000b'],
    ['48 KB', 'x'.repeat(48 * 1024)],
  ])('stores %s byte for byte', async (_what, value) => {
    const receipt = await driver.put(item('TOKEN', value), calm());
    expect(stored('TOKEN')).toBe(value);
    expect(isSameVersion(receipt.remoteVersion ?? '', versionOf(await driver.inspect('TOKEN', calm())))).toBe(true);
    expect(receipt.remoteVersion).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('may run twice, and reads the public key once', async () => {
    const put = item('TOKEN', 'one');
    await driver.put(put, calm());
    await driver.put(put, calm());
    await driver.put(item('TOKEN', 'two', { mode: 'update' }), calm());
    expect(stored('TOKEN')).toBe('two');
    expect(fake.calls().get('get-public-key')).toBe(1);
  });

  it('keeps a foreign secret, unless its mode is adopt', async () => {
    fake.seed('TOKEN', 'foreign');
    const failure = await failureOf(driver.put(item('TOKEN', 'ours'), calm()));
    expect(failure).toMatchObject({ kind: 'conflict' });
    expect(failure.message).toContain('a secret of this name in repository acme/app already exists');
    expect(stored('TOKEN')).toBe('foreign');
    await driver.put(item('TOKEN', 'ours', { mode: 'adopt' }), calm());
    expect(stored('TOKEN')).toBe('ours');
  });

  it('recognises its own secret after a lost answer', async () => {
    const put = item('TOKEN', 'value');
    fake.fail({ kind: 'lost-answer', times: 1 });
    expect(await failureOf(driver.put(put, calm()))).toMatchObject({ kind: 'network' });
    expect(stored('TOKEN')).toBe('value');
    await driver.put(put, calm());
    expect(fake.calls().get('put-secret')).toBe(2);
  });

  it.each([3_600_000, -3_600_000])(
    'distinguishes own from foreign with a host clock that is %d ms ahead',
    async (shift) => {
      fake.shiftClock(shift);
      const put = item('TOKEN', 'value');
      fake.seed('OTHER', 'foreign');
      await driver.put(put, calm());
      await driver.put(put, calm());
      expect(await failureOf(driver.put(item('OTHER', 'ours'), calm()))).toMatchObject({ kind: 'conflict' });
    },
  );

  it('recreates a secret that has vanished', async () => {
    await driver.put(item('TOKEN', 'one'), calm());
    await remove('TOKEN');
    await driver.put(item('TOKEN', 'two', { mode: 'update', remoteVersion: '2020-01-01T00:00:00Z' }), calm());
    expect(stored('TOKEN')).toBe('two');
  });

  it('uses the new public key when the host has replaced it', async () => {
    await driver.put(item('TOKEN', 'one'), calm());
    fake.rotateKeys();
    await driver.put(item('TOKEN', 'two', { mode: 'update' }), calm());
    expect(stored('TOKEN')).toBe('two');
    expect(fake.calls().get('get-public-key')).toBe(2);
  });

  it('fetches a replaced key once for many concurrent puts', async () => {
    await driver.put(item('A', 'one'), calm());
    fake.rotateKeys();
    const names = ['A', 'B', 'C', 'D', 'E'];
    await Promise.all(names.map((name) => driver.put(item(name, name, { mode: 'update' }), calm())));
    expect(names.map(stored)).toEqual(names);
    expect(fake.calls().get('get-public-key')).toBe(2);
  });

  it('refuses an invalid name or value without a call', async () => {
    expect(await failureOf(driver.put(item('GITHUB_TOKEN', 'v'), calm()))).toMatchObject({ kind: 'name' });
    const large = await failureOf(driver.put(item('TOKEN', 'x'.repeat(48 * 1024 + 1)), calm()));
    expect(large).toMatchObject({ kind: 'too-large' });
    expect(large.message).toContain('49153 bytes, at most 49152');
    expect(fake.calls().size).toBe(0);
  });

  it('fails with quota when a repository is full', async () => {
    for (let number = 0; number < 100; number += 1) fake.seed(`OTHER_${number}`, 'v');
    expect(await failureOf(driver.put(item('TOKEN', 'v'), calm()))).toMatchObject({ kind: 'quota' });
    await driver.put(item('OTHER_7', 'v', { mode: 'adopt' }), calm());
  });

  it('updates with one call, and uses the time of the answer as the version', async () => {
    await driver.put(item('TOKEN', 'one'), calm());
    fake.shiftClock(90_000);
    const before = new Map(fake.calls());
    const { remoteVersion } = await driver.put(item('TOKEN', 'two', { mode: 'update' }), calm());
    expect(callsSince(before)).toEqual({ 'put-secret': 1 });
    const found = await driver.inspect('TOKEN', calm());
    expect(isSameVersion(remoteVersion ?? '', versionOf(found))).toBe(true);
  });

  it('distinguishes a foreign change three seconds later from its own', async () => {
    const { remoteVersion } = await driver.put(item('TOKEN', 'one'), calm());
    fake.shiftClock(3_000);
    await open(fake).put(item('TOKEN', 'two', { mode: 'update' }), calm());
    expect(isSameVersion(remoteVersion ?? '', versionOf(await driver.inspect('TOKEN', calm())))).toBe(false);
  });
});

describe('remove', () => {
  it('succeeds twice, and for a secret that never existed', async () => {
    await driver.put(item('TOKEN', 'v'), calm());
    await remove('TOKEN');
    await remove('TOKEN');
    await remove('NEVER');
    expect(stored('TOKEN')).toBeUndefined();
  });

  it('succeeds when the repository does not exist, with a warning in the log', async () => {
    const warnings: string[] = [];
    const log = { ...contextFor(fake).log, warn: (_fields: object, message: string) => void warnings.push(message) };
    const opened = open(fake, fake.destination, { log });
    fake.removeRepository('app');
    await opened.remove({ name: 'TOKEN', mark: '', remoteVersion: null }, calm());
    expect(warnings).toEqual(['nothing to remove: the location does not exist, or is hidden from us']);
    await opened.close();
  });

  it('fails when the host refuses it', async () => {
    fake.fail({ kind: 'denied' });
    expect(await failureOf(remove('TOKEN'))).toMatchObject({ kind: 'permission' });
  });
});

describe('inspect', () => {
  it('distinguishes a missing secret from a missing repository', async () => {
    expect(await driver.inspect('TOKEN', calm())).toBeUndefined();
    fake.removeRepository('app');
    expect(await failureOf(driver.inspect('TOKEN', calm()))).toMatchObject({ kind: 'missing' });
  });

  it('returns unknown when it may not look', async () => {
    fake.fail({ kind: 'denied' });
    expect(await driver.inspect('TOKEN', calm())).toBe('unknown');
  });
});

describe('a repository that does not exist', () => {
  it('is named in the failure', async () => {
    const opened = open(fake, { ...fake.destination, repository_name: 'ghost' });
    const failure = await failureOf(opened.put(item('TOKEN', 'v'), calm()));
    expect(failure).toMatchObject({ kind: 'missing' });
    expect(failure.message).toContain('repository acme/ghost');
    await opened.close();
  });

  it('is noticed when it vanishes between two puts', async () => {
    await driver.put(item('TOKEN', 'v'), calm());
    fake.removeRepository('app');
    expect(await failureOf(driver.put(item('TOKEN', 'w', { mode: 'update' }), calm()))).toMatchObject({
      kind: 'missing',
    });
  });
});

describe('a missing permission', () => {
  it.each([
    ['repository', 'the repository permission "Secrets: read and write"'],
    ['environment', 'the repository permissions "Secrets: read and write" and "Environments: read and write"'],
    ['organization', 'the repository permission "Metadata: read" on it'],
  ] as const)('is named for the location %s', async (location, rights) => {
    const bodies = {
      repository: fake.destination,
      environment: fake.environmentDestination,
      organization: fake.organizationDestination,
    };
    const opened = open(fake, bodies[location]);
    fake.fail({ kind: 'denied' });
    const failure = await failureOf(opened.put(item('TOKEN', 'v', { mode: 'update' }), calm()));
    expect([failure.kind, failure.message]).toEqual(['permission', expect.stringContaining(`need ${rights}`)]);
    const removal = await failureOf(opened.remove({ name: 'TOKEN', mark: '', remoteVersion: null }, calm()));
    const own = location === 'organization' ? 'the organization permission "Secrets: read and write"' : rights;
    expect(removal.message).toContain(`need ${own}`);
    await opened.close();
  });
});

describe('environments and self-hosted servers', () => {
  it('An environment has its own secrets and its own key.', async () => {
    const opened = open(fake, fake.environmentDestination);
    await opened.put(item('TOKEN', 'live'), calm());
    expect(fake.at('environment').objects().get('TOKEN')?.value).toBe('live');
    expect(stored('TOKEN')).toBeUndefined();
    await opened.close();
  });

  it('A slash in the name of an environment stays within its path segment.', async () => {
    const opened = open(fake, { ...fake.environmentDestination, environment_name: 'review/42' });
    const failure = await failureOf(opened.put(item('TOKEN', 'v'), calm()));
    expect(failure).toMatchObject({ kind: 'missing' });
    expect(fake.calls().get('get-public-key')).toBe(1);
    await opened.close();
  });

  it('A self-hosted server is reached below /api/v3.', async () => {
    const opened = open(fake, fake.enterpriseDestination);
    await opened.put(item('TOKEN', 'v'), calm());
    expect(stored('TOKEN')).toBe('v');
    await opened.close();
  });
});

it('The network guard blocks a private address, and the failure names the field that allows it.', async () => {
  const opened = open(fake, fake.destination, { network: strictPolicy });
  const failure = await failureOf(opened.put(item('TOKEN', 'v'), calm()));
  expect(failure).toMatchObject({ kind: 'blocked' });
  expect(failure.message).toContain('allowed_ipv4_addresses');
  await opened.close();
});
