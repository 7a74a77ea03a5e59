import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { answersEvents, type LambdaHttpEvent } from '#http/wire/lambda.ts';
import { sampleServer } from '../sample.ts';

const server = sampleServer();
const event = (method: string, rawPath: string, more: Partial<LambdaHttpEvent> = {}): LambdaHttpEvent => ({
  rawPath,
  rawQueryString: '',
  headers: { 'x-vault-token': 'root', 'content-type': 'application/json', 'x-absent': undefined },
  requestContext: { http: { method, sourceIp: '192.0.2.1' } },
  ...more,
});
const answer = answersEvents(server.routes);

test('a secret is written, read and listed with events', async () => {
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

test('an invalid event is answered like any invalid request', async () => {
  expect(await answer(event('GET', '/v1/secret/a', { headers: {} }))).toMatchObject({ statusCode: 403 });
  expect(await answer(event('PUT', '/v1/secret/a', { body: '{' }))).toMatchObject({ statusCode: 400 });
  expect(await answer(event('GET', '/elsewhere'))).toMatchObject({ statusCode: 404 });
});

test('a handler gets the address that the gateway saw, and knows that the client used TLS', async () => {
  const headers = { 'x-vault-token': 'root', 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'http' };
  const { body } = await answer(event('GET', '/v1/sys/connection', { headers }));
  expect(JSON.parse(body).data).toEqual({ remoteAddress: '192.0.2.1', tls: true });
});

test('a verb that Node cannot parse gets 405', async () => {
  expect(await answer(event('FETCH', '/v1/secret/a'))).toMatchObject({ statusCode: 405 });
});

test('a query arrives as sent, with repeated parameters and commas', async () => {
  const echo = fastify();
  echo.get('/*', async (request) => ({ url: request.raw.url, id: request.headers['x-request-id'] }));
  const query = 'a=1&a=2&b=1,2&c=%2C&d=x%20y';
  const sent = event('GET', '/v1/some%2Fpath', { rawQueryString: query });
  const parsed = { queryStringParameters: { a: '1,2', b: '1,2', c: ',', d: 'x y' } };
  const requestContext = { ...sent.requestContext, requestId: 'of-the-platform' };
  const { body } = await answersEvents(echo)({ ...sent, ...parsed, requestContext });
  expect(JSON.parse(body)).toEqual({ url: `/v1/some%2Fpath?${query}`, id: 'of-the-platform' });
});

test('cookies arrive as a header, and those of a reply go as cookies', async () => {
  const echo = fastify();
  echo.get('/*', async (request, reply) => {
    reply.header('set-cookie', ['one=1; Path=/v1', 'two=2; Path=/api/v2']);
    return { cookie: request.headers.cookie };
  });
  const { body, cookies, headers } = await answersEvents(echo)(event('GET', '/v1/x', { cookies: ['a=1', 'b=2'] }));
  expect(JSON.parse(body)).toEqual({ cookie: 'a=1; b=2' });
  expect(cookies).toEqual(['one=1; Path=/v1', 'two=2; Path=/api/v2']);
  expect(headers['set-cookie']).toBeUndefined();
});

test('an event with a body that is not UTF-8 is refused', async () => {
  const body = Buffer.from('{"x":"\xff"}', 'latin1').toString('base64');
  const refused = await answer(event('PUT', '/v1/secret/broken', { body, isBase64Encoded: true }));
  expect(refused.statusCode).toBe(400);
  expect(JSON.parse(refused.body).errors[0]).toContain('the request body is not valid UTF-8');
  expect((await answer(event('GET', '/v1/secret/broken'))).statusCode).toBe(404);
});
