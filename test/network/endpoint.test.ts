import { expect, test } from 'vitest';
import { z } from 'zod';
import { baseUrl, endpointField, tlsCaCertField } from '#destinations/frame/fields/endpoint.ts';
import { secure } from './servers.ts';

const schema = z.object({ endpoint: endpointField('https://api.example.com'), tls_ca_cert: tlsCaCertField() });
const problems = (input: object) => schema.safeParse(input).error?.issues.map(({ message }) => message);

test('both fields are optional, and an empty text counts as absent', () => {
  expect(schema.parse({})).toEqual({});
  expect(schema.parse({ endpoint: '', tls_ca_cert: '' })).toEqual({});
});

test('an http or https URL passes, with a path and a trailing slash', () => {
  const endpoint = 'http://127.0.0.1:8080/api/';
  expect(schema.parse({ endpoint })).toEqual({ endpoint });
  expect(baseUrl(endpoint)).toBe('http://127.0.0.1:8080/api');
});

test.each([
  ['api.example.com', 'invalid endpoint: must be a URL such as https://api.example.com'],
  ['ftp://example.com', 'invalid endpoint: must be a URL such as https://api.example.com'],
  ['https://user:hunter2@example.com', 'invalid endpoint: a user name or password is not allowed'],
  ['https://example.com/?a=b', 'invalid endpoint: a query or fragment is not allowed'],
  ['https://example.com/#a', 'invalid endpoint: a query or fragment is not allowed'],
])('the endpoint %s is refused without being repeated', (endpoint, message) => {
  expect(problems({ endpoint })).toEqual([message]);
});

test('tls_ca_cert accepts only readable certificates', async () => {
  const { cert } = await secure('');
  expect(schema.parse({ tls_ca_cert: cert })).toEqual({ tls_ca_cert: cert });
  const message = 'invalid tls_ca_cert: must be certificates in PEM form (-----BEGIN CERTIFICATE-----)';
  expect(problems({ tls_ca_cert: 'nothing' })).toEqual([message]);
  expect(problems({ tls_ca_cert: cert.replaceAll(/M/g, '!') })).toEqual([message]);
});
