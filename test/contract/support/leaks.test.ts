import { describe, expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import { DestinationFailure } from '#destinations/contract.ts';
import { leaksOf } from './leaks.ts';

const secret = 'ghp_a-very-secret-token';
const key = `-----BEGIN KEY-----\n${'Ab0+'.repeat(16)}\n-----END KEY-----`;

const leaking: Readonly<Record<string, unknown>> = {
  'in the message': new Error(`refused token ${secret}`),
  'in the message of a cause': new DestinationFailure('network', 'no', { cause: new Error(secret) }),
  'in a member of a cause': new Error('no', {
    cause: Object.assign(new Error('no'), { config: { headers: { authorization: `Bearer ${secret}` } } }),
  }),
  'in a hidden member': Object.defineProperty(new Error('no'), 'request', { value: { token: secret } }),
  'in one of several errors': new AggregateError([new Error('no'), new Error(secret)], 'no'),
  'as base64': new Error(Buffer.from(secret).toString('base64')),
  'as bytes': Object.assign(new Error('no'), { body: Buffer.from(secret) }),
  'as part of a URL': new Error(`GET /?value=${encodeURIComponent(secret)}`),
  'as one line of a key': Object.assign(new Error('no'), { key }),
};

describe('the search for leaks', () => {
  test.each(Object.entries(leaking))('finds a secret %s', (_where, error) => {
    expect(leaksOf(error, [secret, key])).not.toEqual([]);
  });

  test('finds nothing in an error without a secret, or with a wrapped one', () => {
    const wrapped = Object.assign(new Error('the value of secret app is too large'), { value: new Secret(secret) });
    expect(leaksOf(new DestinationFailure('too-large', 'no', { cause: wrapped }), [secret, key])).toEqual([]);
  });
});
