import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig, sealOf } from '#core/config.ts';

const key = 'ab'.repeat(32);
const arn = 'arn:aws:kms:eu-central-1:111122223333:key/one';
const sealBy = (environment: NodeJS.ProcessEnv) => sealOf(readConfig(environment));

describe('the seal of the environment', () => {
  test.each([
    [{}, 'shamir'],
    [{ KEYFERRY_SEAL: 'shamir' }, 'shamir'],
    [{ KEYFERRY_SEAL_KEY: key }, 'static'],
    [{ KEYFERRY_SEAL_KEY_FILE: '/run/key' }, 'static'],
    [{ KEYFERRY_SEAL: 'static', KEYFERRY_SEAL_KEY: key }, 'static'],
    [{ KEYFERRY_SEAL: 'cloud-a-kms', KEYFERRY_SEAL_KEY_ID: arn }, 'cloud-a-kms'],
    [{ KEYFERRY_SEAL: 'cloud-b-keys', KEYFERRY_SEAL_KEY_ID: 'https://v.vault.azure.net/keys/k' }, 'cloud-b-keys'],
  ])('%o is %s', (environment, type) => {
    expect(sealBy(environment)).toMatchObject({ seal: { type }, former: undefined });
  });

  test('the former seal can be configured in addition, and cannot be key shares', () => {
    const environment = { KEYFERRY_SEAL: 'cloud-a-kms', KEYFERRY_SEAL_KEY_ID: arn, KEYFERRY_SEAL_FORMER_KEY: key };
    expect(sealBy(environment)).toMatchObject({ seal: { type: 'cloud-a-kms' }, former: { type: 'static' } });
    expect(sealBy({ KEYFERRY_SEAL_FORMER: 'shamir' }).former).toBeUndefined();
  });

  test.each([
    [{ KEYFERRY_SEAL: 'awskms' }, 'KEYFERRY_SEAL must be shamir, static, cloud-a-kms, cloud-b-keys or cloud-c-kms'],
    [{ KEYFERRY_SEAL: 'static' }, 'KEYFERRY_SEAL=static needs KEYFERRY_SEAL_KEY or KEYFERRY_SEAL_KEY_FILE'],
    [{ KEYFERRY_SEAL: 'cloud-a-kms' }, 'KEYFERRY_SEAL=cloud-a-kms needs KEYFERRY_SEAL_KEY_ID'],
    [
      { KEYFERRY_SEAL: 'cloud-a-kms', KEYFERRY_SEAL_KEY_ID: arn, KEYFERRY_SEAL_KEY: key },
      'KEYFERRY_SEAL_KEY does not go with KEYFERRY_SEAL=cloud-a-kms',
    ],
    [{ KEYFERRY_SEAL: 'shamir', KEYFERRY_SEAL_KEY: key }, 'KEYFERRY_SEAL_KEY does not go with KEYFERRY_SEAL=shamir'],
    [{ KEYFERRY_SEAL_KEY_ID: arn }, 'KEYFERRY_SEAL_KEY_ID does not go with key shares: set KEYFERRY_SEAL'],
    [
      { KEYFERRY_SEAL_KEY: key, KEYFERRY_SEAL_KEY_FILE: '/run/key' },
      'KEYFERRY_SEAL_KEY and KEYFERRY_SEAL_KEY_FILE exclude',
    ],
    [
      { KEYFERRY_SEAL: 'cloud-c-kms', KEYFERRY_SEAL_KEY_ID: 'k', KEYFERRY_SEAL_REGION: 'r' },
      'KEYFERRY_SEAL_REGION does not go with KEYFERRY_SEAL=cloud-c-kms',
    ],
    [{ KEYFERRY_SEAL_FORMER: 'static' }, 'KEYFERRY_SEAL_FORMER=static needs KEYFERRY_SEAL_FORMER_KEY'],
    [
      { KEYFERRY_SEAL: 'cloud-a-kms', KEYFERRY_SEAL_KEY_ID: arn, KEYFERRY_SEAL_ENDPOINT: 'http://kms.example.com' },
      'KEYFERRY_SEAL_ENDPOINT must be an https address without a path; plain http is allowed only on this machine',
    ],
  ])('%o is refused, without its key', (environment, message) => {
    const failure = (() => {
      try {
        return sealBy(environment);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toMatchObject({ name: 'ConfigError', message: expect.stringContaining(message) });
    expect(inspect(failure)).not.toContain(key);
  });
});
