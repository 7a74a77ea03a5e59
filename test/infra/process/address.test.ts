import { expect, test } from 'vitest';
import { apiAddress, authority, hostToAsk } from '#infra/process/address.ts';

test.each([
  ['127.0.0.1', undefined, 'http://127.0.0.1:8200'],
  ['127.0.0.1', 'cert.pem', 'https://127.0.0.1:8200'],
  ['vault.example', 'cert.pem', 'https://vault.example:8200'],
  ['::1', undefined, 'http://[::1]:8200'],
])('an API at %s with the certificate %s is at %s', (KEYFERRY_HOST, KEYFERRY_TLS_CERT_FILE, address) => {
  expect(apiAddress({ KEYFERRY_HOST, KEYFERRY_TLS_CERT_FILE }, 8200)).toBe(address);
  expect(new URL(address).host).toBe(authority(KEYFERRY_HOST, 8200));
});

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['127.0.0.2', '127.0.0.2'],
  ['localhost', 'localhost'],
])('who listens on %s is asked at %s', (listening, asked) => {
  expect(hostToAsk(listening)).toBe(asked);
});
