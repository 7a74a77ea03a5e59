import { expect, test } from 'vitest';
import { readConfig, unsealOf } from '#core/config.ts';

const address = 'https://keyferry.example:8200';
const approle = {
  KEYFERRY_UNSEAL_ADDRESS: address,
  KEYFERRY_UNSEAL_LOGIN: 'approle',
  KEYFERRY_UNSEAL_ROLE: 'id',
  KEYFERRY_UNSEAL_SECRET_ID_FILE: '/run/secret-id',
};
const read = (given: Readonly<Record<string, string>>) => unsealOf(readConfig(given));

test('nothing is borrowed unless an address is set', () => {
  expect(read({})).toBeUndefined();
  expect(read({ KEYFERRY_UNSEAL_ADDRESS: '' })).toBeUndefined();
});

test('each login method has its settings and their defaults', () => {
  expect(read(approle)).toMatchObject({
    address: new URL(address),
    caFile: undefined,
    keepMs: 60_000,
    login: { kind: 'approle', mount: 'approle', roleId: 'id', secretIdFile: '/run/secret-id' },
  });
  const account = {
    KEYFERRY_UNSEAL_ADDRESS: address,
    KEYFERRY_UNSEAL_LOGIN: 'orchestrator',
    KEYFERRY_UNSEAL_ROLE: 'sync',
  };
  expect(read({ ...account, KEYFERRY_UNSEAL_MOUNT: 'k8s/east', KEYFERRY_UNSEAL_KEEP_MS: '5000' })).toMatchObject({
    keepMs: 5_000,
    login: {
      kind: 'orchestrator',
      mount: 'k8s/east',
      role: 'sync',
      tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    },
  });
  const file = {
    KEYFERRY_UNSEAL_ADDRESS: address,
    KEYFERRY_UNSEAL_LOGIN: 'token',
    KEYFERRY_UNSEAL_TOKEN_FILE: '/run/token',
  };
  expect(read(file)).toMatchObject({ login: { kind: 'token', tokenFile: '/run/token' } });
});

test.each([
  [{ KEYFERRY_UNSEAL_ROLE: 'x' }, 'KEYFERRY_UNSEAL_ROLE needs KEYFERRY_UNSEAL_ADDRESS'],
  [{ KEYFERRY_UNSEAL_ADDRESS: address }, 'KEYFERRY_UNSEAL_ADDRESS needs KEYFERRY_UNSEAL_LOGIN'],
  [{ ...approle, KEYFERRY_UNSEAL_ROLE: '' }, 'KEYFERRY_UNSEAL_LOGIN=approle needs KEYFERRY_UNSEAL_ROLE'],
  [{ ...approle, KEYFERRY_UNSEAL_SECRET_ID_FILE: '' }, 'needs KEYFERRY_UNSEAL_SECRET_ID_FILE'],
  [
    { ...approle, KEYFERRY_UNSEAL_TOKEN_FILE: '/x' },
    'KEYFERRY_UNSEAL_TOKEN_FILE does not go with KEYFERRY_UNSEAL_LOGIN=approle',
  ],
  [{ ...approle, KEYFERRY_UNSEAL_LOGIN: 'orchestrator' }, 'KEYFERRY_UNSEAL_SECRET_ID_FILE does not go with'],
  [{ ...approle, KEYFERRY_UNSEAL_LOGIN: 'token' }, 'KEYFERRY_UNSEAL_LOGIN=token needs KEYFERRY_UNSEAL_TOKEN_FILE'],
  [{ ...approle, KEYFERRY_UNSEAL_LOGIN: 'x' }, 'must be orchestrator, approle or token'],
  [{ ...approle, KEYFERRY_UNSEAL_MOUNT: '../x' }, 'KEYFERRY_UNSEAL_MOUNT must be'],
  [{ ...approle, KEYFERRY_UNSEAL_KEEP_MS: '10' }, 'KEYFERRY_UNSEAL_KEEP_MS must be'],
])('%j is refused', (given, message) => {
  expect(() => readConfig(given)).toThrow(message);
});

test.each([
  'http://127.0.0.1:8200',
  'http://127.9.9.9',
  'http://localhost:1/',
  'http://[::1]:8200',
  'https://a',
  'HTTPS://a/',
])('%s may be asked', (text) => {
  expect(read({ ...approle, KEYFERRY_UNSEAL_ADDRESS: text })?.address.href).toBe(new URL(text).href);
});

test.each([
  'http://keyferry.example',
  'http://10.0.0.1:8200',
  'http://127.0.0.1.example',
  'http://localhost.example',
  'https://a/path',
  'https://a/?x',
  'https://user:password@a',
  'ftp://a',
  'a:8200',
])('%s may not', (text) => {
  expect(() => readConfig({ ...approle, KEYFERRY_UNSEAL_ADDRESS: text })).toThrow(
    /KEYFERRY_UNSEAL_ADDRESS must be an https/,
  );
});
