import { expect, test } from 'vitest';
import { answerLambda, type LambdaHttpEvent } from '../../lib/http/lambda.ts';
import { createServer } from '../../lib/http/server.ts';
import { sampleParts } from './sample.ts';

const server = createServer(sampleParts());
const event = (method: string, rawPath: string, more: Partial<LambdaHttpEvent> = {}): LambdaHttpEvent => ({
  rawPath,
  rawQueryString: '',
  headers: { 'x-vault-token': 'root', 'content-type': 'application/json', 'x-absent': undefined },
  requestContext: { http: { method, sourceIp: '192.0.2.1' } },
  ...more,
});
const answer = (one: LambdaHttpEvent) => answerLambda((request) => server.inject(request), one);

test('a secret is written, read and listed by events', async () => {
  const body = Buffer.from('{"x":"ä"}').toString('base64');
  expect(await answer(event('PUT', '/v1/secret/a', { body, isBase64Encoded: true }))).toMatchObject({
    statusCode: 204,
    body: '',
  });
  expect(await answer(event('PUT', '/v1/secret/b', { body: '{"x":2}' }))).toMatchObject({ statusCode: 204 });
  const read = await answer(event('GET', '/v1/secret/a'));
  expect(JSON.parse(read.body).data).toEqual({ x: 'ä' });
  expect(read.headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' });
  for (const list of [event('LIST', '/v1/secret'), event('GET', '/v1/secret', { rawQueryString: 'list=true' })]) {
    expect(JSON.parse((await answer(list)).body).data.keys).toEqual(['a', 'b']);
  }
});

test('an event that cannot be answered well is answered as any request is', async () => {
  expect(await answer(event('GET', '/v1/secret/a', { headers: {} }))).toMatchObject({ statusCode: 403 });
  expect(await answer(event('PUT', '/v1/secret/a', { body: '{' }))).toMatchObject({ statusCode: 400 });
  expect(await answer(event('GET', '/elsewhere'))).toMatchObject({ statusCode: 404 });
});
