import { expect, test } from 'vitest';
import { z } from 'zod';
import { baseUrl, endpointField, tlsCaCertField } from '../../lib/destinations/frame/fields/endpoint.ts';
import { secure } from './servers.ts';

const schema = z.object({ endpoint: endpointField('https://api.example.com'), tls_ca_cert: tlsCaCertField() });
const problems = (input: object) => schema.safeParse(input).error?.issues.map(({ message }) => message);

test('neither field is needed, and an empty text means not given', () => {
  expect(schema.parse({})).toEqual({});
  expect(schema.parse({ endpoint: '', tls_ca_cert: '' })).toEqual({});
});

test('an http or https URL passes, with a path and a trailing slash', () => {
  const endpoint = 'http://127.0.0.1:8080/api/';
  expect(schema.parse({ endpoint })).toEqual({ endpoint });
  expect(baseUrl(endpoint)).toBe('http://127.0.0.1:8080/api');
});

test.each([
  ['api.example.com', 'invalid endpoint: it takes a URL such as https://api.example.com'],
  ['ftp://example.com', 'invalid endpoint: it takes a URL such as https://api.example.com'],
  ['https://user:hunter2@example.com', 'invalid endpoint: it takes no user name or password'],
  ['https://example.com/?a=b', 'invalid endpoint: it takes no query and no fragment'],
  ['https://example.com/#a', 'invalid endpoint: it takes no query and no fragment'],
])('the endpoint %s is refused without being repeated', (endpoint, message) => {
  expect(problems({ endpoint })).toEqual([message]);
});

test('only certificates that can be read pass as tls_ca_cert', async () => {
  const { cert } = await secure('');
  expect(schema.parse({ tls_ca_cert: cert })).toEqual({ tls_ca_cert: cert });
  const message = 'invalid tls_ca_cert: it takes certificates in PEM form (-----BEGIN CERTIFICATE-----)';
  expect(problems({ tls_ca_cert: 'nothing' })).toEqual([message]);
  expect(problems({ tls_ca_cert: cert.replaceAll(/M/g, '!') })).toEqual([message]);
});
