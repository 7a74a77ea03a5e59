import { expect, test } from 'vitest';
import { type HttpEvent, toHttpResult, toInject } from '../../lib/http/function.ts';
import { createServer } from '../../lib/http/server.ts';
import { sampleParts } from './sample.ts';

const server = createServer(sampleParts());
const event = (method: string, rawPath: string, more: Partial<HttpEvent> = {}): HttpEvent => ({
  rawPath,
  rawQueryString: '',
  headers: { 'x-vault-token': 'root', 'content-type': 'application/json' },
  isBase64Encoded: false,
  requestContext: { http: { method, sourceIp: '192.0.2.1' } },
  ...more,
});

async function answer(one: HttpEvent) {
  const { body, isBase64Encoded, ...result } = toHttpResult(await server.inject(toInject(one)));
  return { ...result, body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString() };
}

test('a secret is written, read and listed by events', async () => {
  const body = Buffer.from('{"x":"ä"}').toString('base64');
  expect(await answer(event('PUT', '/v1/secret/a', { body, isBase64Encoded: true }))).toMatchObject({
    statusCode: 204,
  });
  expect(await answer(event('PUT', '/v1/secret/b', { body: '{"x":2}' }))).toMatchObject({ statusCode: 204 });
  const read = await answer(event('GET', '/v1/secret/a'));
  expect(JSON.parse(read.body).data).toEqual({ x: 'ä' });
  expect(read.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  for (const list of [event('LIST', '/v1/secret'), event('GET', '/v1/secret', { rawQueryString: 'list=true' })]) {
    expect(JSON.parse((await answer(list)).body).data.keys).toEqual(['a', 'b']);
  }
});

test('an event that cannot be answered well is answered as any request is', async () => {
  expect(await answer(event('GET', '/v1/secret/a', { headers: {} }))).toMatchObject({ statusCode: 403 });
  expect(await answer(event('PUT', '/v1/secret/a', { body: '{' }))).toMatchObject({ statusCode: 400 });
  expect(await answer(event('GET', '/elsewhere'))).toMatchObject({ statusCode: 404 });
});
