import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CloudASmFake, startFake } from '#destinations/cloud-a-sm/fake/index.ts';

import { openMetadataServices } from '#destinations/cloud-a-sm/login/login.ts';
import { strictPolicy } from '#test/support/network/policy.ts';

import { calm, failureOf, item, open } from '../connection.ts';

let fake: CloudASmFake;
let home: string;

beforeEach(async () => {
  fake = await startFake();
  home = mkdtempSync(join(tmpdir(), 'cloud-a-sm-'));
  // Settings of this machine must not matter.
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(home, 'credentials'));
  vi.stubEnv('AWS_CONFIG_FILE', join(home, 'config'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
  await fake.close();
});

const keyOf = (name: string): string => String(fake.destination[name]);
const withoutKeys = { access_key_id: '', secret_access_key: '' };

async function putWorks(body: Readonly<Record<string, unknown>>): Promise<void> {
  const driver = open(fake, body);
  await driver.put(item('app/db', 'one'), calm());
  expect(fake.objects().get('app/db')?.value).toBe('one');
  await driver.close();
}

describe('without keys', () => {
  test('the variables of the environment are used, also to assume a role', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', keyOf('access_key_id'));
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', keyOf('secret_access_key'));
    await putWorks(withoutKeys);
    const { access_key_id: _, secret_access_key: __, ...role } = fake.roleDestination;
    await putWorks({ ...role, ...withoutKeys });
    expect(fake.calls().get('AssumeRole')).toBe(1);
  });

  test('the shared credentials file is used', async () => {
    const lines = [
      '[default]',
      `aws_access_key_id = ${keyOf('access_key_id')}`,
      `aws_secret_access_key = ${keyOf('secret_access_key')}`,
    ];
    writeFileSync(join(home, 'credentials'), lines.join('\n'));
    await putWorks(withoutKeys);
  });

  test('an empty environment is a credentials failure that says what to set', async () => {
    const driver = open(fake, withoutKeys);
    const failure = await failureOf(driver.put(item('app/db', 'one'), calm()));
    expect([failure.kind, failure.message]).toEqual(['credentials', expect.stringContaining('access_key_id')]);
    await driver.close();
  });

  test('a metadata service is not called unless its address is allowed', async () => {
    const asked: (string | undefined)[] = [];
    const metadata = createServer((request, response) => {
      asked.push(request.url);
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      const AccessKeyId = keyOf('access_key_id');
      response.end(JSON.stringify({ AccessKeyId, SecretAccessKey: keyOf('secret_access_key'), Token: '', Expiration }));
    });
    await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
    const address = metadata.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/credentials`);
    const closed = open(fake, withoutKeys);
    expect((await failureOf(closed.put(item('app/db', 'one'), calm()))).kind).toBe('credentials');
    expect(asked).toEqual([]);
    const own = Number(new URL(fake.url).port);
    const network = { ...strictPolicy, allowedIpv4: ['127.0.0.0/8', '169.254.170.0/24'], allowedPorts: [own] };
    const opened = open(fake, withoutKeys, { network });
    await opened.put(item('app/db', 'one'), calm());
    expect(asked).toEqual(['/credentials']);
    metadata.closeAllConnections();
    metadata.close();
    await Promise.all([closed.close(), opened.close()]);
  });

  test('a policy allows the metadata services that it names', () => {
    expect(openMetadataServices(strictPolicy)).toEqual([]);
    expect(openMetadataServices({ ...strictPolicy, disabled: true })).toEqual(['container', 'instance']);
    expect(openMetadataServices({ ...strictPolicy, allowedIpv4: ['169.254.169.254/32'] })).toEqual(['instance']);
    expect(openMetadataServices({ ...strictPolicy, allowedIpv4: ['169.254.170.2/32'] })).toEqual([]);
    expect(openMetadataServices({ ...strictPolicy, allowedIpv4: ['169.254.170.0/24'] })).toEqual(['container']);
  });

  test('the token of a web identity is not sent to the endpoint of a destination', async () => {
    writeFileSync(join(home, 'token'), 'MARKER-token');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(home, 'token'));
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::111122223333:role/worker');
    const own = Number(new URL(fake.url).port);
    // Only the stand-in can be reached, so a call to the provider's own STS ends here.
    const network = { ...strictPolicy, allowedIpv4: ['127.0.0.0/8'], allowedPorts: [own] };
    const driver = open(fake, withoutKeys, { network, timeouts: { connectMs: 200, requestMs: 400 } });
    const failure = await failureOf(driver.put(item('app/db', 'one'), calm()));
    expect(failure.message).not.toContain('MARKER');
    expect(fake.calls().size).toBe(0);
    await driver.close();
  });
});

test('a credentials file that cannot be read is a credentials failure', async () => {
  vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(home, 'none'));
  vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::111122223333:role/worker');
  const driver = open(fake, withoutKeys);
  const failure = await failureOf(driver.put(item('app/db', 'one'), calm()));
  expect([failure.kind, failure.message]).toEqual(['credentials', expect.stringContaining('ENOENT')]);
  await driver.close();
});

describe('without a region', () => {
  test('the region of the environment is used', async () => {
    vi.stubEnv('AWS_REGION', 'us-east-1');
    await putWorks({ region: '' });
  });

  test('an environment without a region is a failure that says what to set', async () => {
    const driver = open(fake, { region: '' });
    const failure = await failureOf(driver.put(item('app/db', 'one'), calm()));
    expect([failure.kind, failure.message]).toEqual(['invalid', expect.stringContaining('AWS_REGION')]);
    await driver.close();
  });
});
