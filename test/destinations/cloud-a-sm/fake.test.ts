import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
  TagResourceCommand,
  UpdateSecretCommand,
} from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CloudASmFake, startFake } from '#destinations/cloud-a-sm/fake/index.ts';

let fake: CloudASmFake;
let sdk: SecretsManagerClient;
const token = (digit: string) => digit.repeat(32);

function settings(region = 'us-east-1') {
  const accessKeyId = String(fake.destination['access_key_id']);
  const secretAccessKey = String(fake.destination['secret_access_key']);
  return { region, endpoint: fake.url, maxAttempts: 1, credentials: { accessKeyId, secretAccessKey } };
}

beforeEach(async () => {
  fake = await startFake();
  sdk = new SecretsManagerClient(settings());
});
afterEach(async () => {
  sdk.destroy();
  await fake.close();
});

const nameOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'nothing was thrown',
    (error: unknown) => (error instanceof Error ? error.name : error),
  );
const create = (name: string, value = 'one') => sdk.send(new CreateSecretCommand({ Name: name, SecretString: value }));

describe('the stand-in refuses, as the provider does,', () => {
  test('names, values, tokens and tags outside the limits', async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, n) => ({ Key: `k${n}`, Value: 'x' }));
    const inputs = [
      { Name: 'a b', SecretString: 'x' },
      { Name: 'n'.repeat(513), SecretString: 'x' },
      { Name: 'a', SecretString: '' },
      { Name: 'a', SecretString: 'x'.repeat(65_537) },
      { Name: 'a', SecretString: 'x', ClientRequestToken: 'short' },
      { Name: 'a', SecretString: 'x', Tags: tags(51) },
      { Name: 'a', SecretString: 'x', Tags: [...tags(1), ...tags(1)] },
      { Name: 'a', SecretString: 'x', Tags: [{ Key: 'aws:x', Value: '' }] },
    ];
    const thrown = await Promise.all(inputs.map((input) => nameOf(sdk.send(new CreateSecretCommand(input)))));
    expect(thrown).toEqual([...Array(4).fill('ValidationException'), ...Array(4).fill('InvalidParameterException')]);
    expect(fake.objects().size).toBe(0);
  });

  test('taken names and missing secrets', async () => {
    await create('a');
    expect(await nameOf(create('a'))).toBe('ResourceExistsException');
    expect(await nameOf(sdk.send(new GetSecretValueCommand({ SecretId: 'b' })))).toBe('ResourceNotFoundException');
  });

  test('a version with another value under a known token, and ignores one with the same value', async () => {
    await create('a');
    const put = (value: string, id: string) =>
      sdk.send(new PutSecretValueCommand({ SecretId: 'a', SecretString: value, ClientRequestToken: id }));
    await put('two', token('1'));
    await put('three', token('2'));
    expect((await put('two', token('1'))).VersionStages).toEqual(['AWSPREVIOUS']);
    expect(await nameOf(put('four', token('1')))).toBe('ResourceExistsException');
    const current = await sdk.send(new GetSecretValueCommand({ SecretId: 'a' }));
    const previous = await sdk.send(new GetSecretValueCommand({ SecretId: 'a', VersionStage: 'AWSPREVIOUS' }));
    expect([current.SecretString, previous.SecretString]).toEqual(['three', 'two']);
  });

  test('nearly all operations on a secret that is scheduled for deletion', async () => {
    await create('a');
    await sdk.send(new DeleteSecretCommand({ SecretId: 'a', RecoveryWindowInDays: 7 }));
    const refused = [
      create('a'),
      sdk.send(new GetSecretValueCommand({ SecretId: 'a' })),
      sdk.send(new PutSecretValueCommand({ SecretId: 'a', SecretString: 'x' })),
      sdk.send(new UpdateSecretCommand({ SecretId: 'a', SecretString: 'x' })),
      sdk.send(new TagResourceCommand({ SecretId: 'a', Tags: [] })),
      sdk.send(new DeleteSecretCommand({ SecretId: 'a', RecoveryWindowInDays: 7 })),
    ];
    expect(await Promise.all(refused.map(nameOf))).toEqual(Array(6).fill('InvalidRequestException'));
    expect((await sdk.send(new ListSecretsCommand({}))).SecretList).toEqual([]);
    const planned = await sdk.send(new ListSecretsCommand({ IncludePlannedDeletion: true }));
    expect(planned.SecretList?.map(({ Name }) => Name)).toEqual(['a']);
    await sdk.send(new RestoreSecretCommand({ SecretId: 'a' }));
    expect((await sdk.send(new GetSecretValueCommand({ SecretId: 'a' }))).SecretString).toBe('one');
  });

  test('a recovery window outside 7 to 30 days, after which the name is free', async () => {
    await create('a');
    const remove = (days: number) => sdk.send(new DeleteSecretCommand({ SecretId: 'a', RecoveryWindowInDays: days }));
    expect(await nameOf(remove(6))).toBe('InvalidParameterException');
    expect(await nameOf(remove(31))).toBe('InvalidParameterException');
    await remove(7);
    fake.shiftClock(8 * 24 * 60 * 60_000);
    // The SDK adopts the clock of the answer that refuses its own.
    expect(await nameOf(create('a', 'two'))).toBe('InvalidSignatureException');
    await create('a', 'two');
    expect(fake.objects().get('a')?.value).toBe('two');
  });

  test('a name that was just deleted immediately, for the requested number of creations', async () => {
    await create('a');
    fake.linger(1);
    await sdk.send(new DeleteSecretCommand({ SecretId: 'a', ForceDeleteWithoutRecovery: true }));
    expect(await nameOf(create('a'))).toBe('InvalidRequestException');
    await create('a');
  });

  test('signatures for another region', async () => {
    const elsewhere = new SecretsManagerClient(settings('eu-west-1'));
    expect(await nameOf(elsewhere.send(new ListSecretsCommand({})))).toBe('InvalidSignatureException');
    elsewhere.destroy();
  });

  test('expired credentials of a role', async () => {
    const { credentials, ...rest } = settings();
    const provider = fromTemporaryCredentials({
      masterCredentials: credentials,
      params: {
        RoleArn: String(fake.roleDestination['role_arn']),
        ExternalId: String(fake.roleDestination['external_id']),
      },
      clientConfig: rest,
    });
    const kept = await provider();
    const { expiration: _, ...session } = kept;
    const sts = new STSClient({ ...rest, credentials: session });
    expect((await sts.send(new GetCallerIdentityCommand({}))).Arn).toContain('assumed-role/keyferry-sync');
    fake.shiftClock(2 * 60 * 60_000);
    expect(await nameOf(sts.send(new GetCallerIdentityCommand({})))).toBe('ExpiredTokenException');
    sts.destroy();
  });
});
