import { describe, expect, test } from 'vitest';
import { ask, root } from '../../ask.ts';
import { sampleServer } from '../../sample.ts';

describe('bodies', () => {
  const write = (payload: string, headers: Record<string, string> = {}) =>
    ask('POST', '/v1/versioned/data/a', { headers: { ...root, ...headers }, payload });

  test('numbers keep their digits in requests and replies', async () => {
    const server = sampleServer();
    const numbers = '{"big":12345678901234567890,"one":1.0,"huge":1e400,"nested":{"deep":[0.10]}}';
    await server.inject({ method: 'POST', url: '/v1/versioned/data/n', headers: root, payload: `{"data":${numbers}}` });
    const reply = await server.inject({ method: 'GET', url: '/v1/versioned/data/n', headers: root });
    expect(reply.body).toContain(`"data":{"data":${numbers}}`);
  });

  test('a plain secret may have members named like a parameter or a prototype', async () => {
    const server = sampleServer();
    const secret = '{"path":"/elsewhere","__proto__":"x","big":12345678901234567890}';
    await server.inject({ method: 'PUT', url: '/v1/secret/a', headers: root, payload: secret });
    const reply = await server.inject({ method: 'GET', url: '/v1/secret/a', headers: root });
    expect(reply.body).toContain(`"data":${secret}`);
    expect((await server.inject({ method: 'GET', url: '/v1/secret/elsewhere', headers: root })).statusCode).toBe(404);
  });

  test.each([
    ['{"data":{"password":"marker-value"', 'invalid JSON'],
    ['marker-value', 'invalid JSON'],
    ['["marker-value"]', 'expected an object, got an array'],
    ['12345678901234567890', 'expected an object, got a number'],
    ['"marker-value"', 'expected an object, got a string'],
  ])('%s is refused without being quoted', async (payload, problem) => {
    const { status, body, json } = await write(payload, { 'content-type': 'application/json' });
    expect(status).toBe(400);
    expect(json().errors[0]).toContain(`failed to decode JSON input: ${problem}`);
    expect(body).not.toContain('marker');
  });

  test.each([
    ['objects', '{"a":', '}'],
    ['lists', '[', ']'],
  ])('%s nested deeper than 500 levels are refused, however deep', async (_what, open, close) => {
    const nested = (levels: number) => `{"data":{"a":${open.repeat(levels)}1${close.repeat(levels)}}}`;
    expect((await write(nested(400))).status).toBe(200);
    for (const levels of [600, 20_000, 100_000]) {
      const { status, json } = await write(nested(levels));
      expect(status).toBe(400);
      expect(json().errors[0]).toContain('nested deeper than 500 levels');
    }
  });

  test.each([
    ['{"data":{"marker-value":1,"marker-value":2}}', 'an object has a duplicate key at character 26'],
    ['{"data":{"a":"marker-value\\ud83d"}}', 'a lone surrogate, which is not a character, at character 26'],
  ])('%s could not be stored as sent, so it is refused', async (payload, problem) => {
    for (const name of ['x-service-token', 'x-vault-token']) {
      const { status, body, json } = await write(payload, { [name]: 'root' });
      expect(status).toBe(400);
      expect(json()).toEqual({ errors: [`failed to decode JSON input: ${problem}`] });
      expect(body).not.toContain('marker');
    }
  });

  test('a JSON error names the position', async () => {
    const { json } = await write('{"data": {,}}');
    expect(json().errors[0]).toMatch(/^failed to decode JSON input: invalid JSON at character 10$/);
  });

  test.each([
    ['a byte that is never valid', [0xff]],
    ['a truncated character', [0xc3]],
    ['an overlong encoding', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
  ])('%s in a secret is refused, and nothing is stored', async (_what, bytes) => {
    const server = sampleServer();
    const payload = Buffer.concat([Buffer.from('{"a":"marker-value'), Buffer.from(bytes), Buffer.from('"}')]);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined]) {
      const headers = { ...root, ...(type === undefined ? {} : { 'content-type': type }) };
      const reply = await server.inject({ method: 'POST', url: '/v1/secret/a', headers, payload });
      expect(reply.statusCode).toBe(400);
      expect(reply.json().errors).toEqual([expect.stringContaining('the request body is not valid UTF-8')]);
      expect(reply.body).not.toContain('marker');
    }
    expect((await server.inject({ method: 'GET', url: '/v1/secret/a', headers: root })).statusCode).toBe(404);
  });

  test.each([
    ['a=%ff', 400],
    ['a=%C3', 400],
    ['%c3=1', 400],
    ['a=%C3%A4', 204],
    ['a=100%', 204],
    ['a=%C3%A4%zz', 204],
  ])('the form %s is %i', async (payload, status) => {
    const headers = { ...root, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ask('POST', '/v1/secret/a', { headers, payload })).status).toBe(status);
  });

  test('a byte order mark is dropped, and a replacement character is kept', async () => {
    const server = sampleServer();
    const payload = Buffer.from('\ufeff{"a":"\ufffd \ufeff"}');
    expect((await server.inject({ method: 'PUT', url: '/v1/secret/a', headers: root, payload })).statusCode).toBe(204);
    const reply = await server.inject({ method: 'GET', url: '/v1/secret/a', headers: root });
    expect(reply.json().data).toEqual({ a: '\ufffd \ufeff' });
  });

  test.each(['', '  ', 'null'])('the body %j means no data', async (payload) => {
    expect((await write(payload)).json()).toEqual({
      errors: ['Field validation failed: missing required field "data"'],
      problems: [{ field: 'data', message: 'required' }],
    });
  });

  test('forms are read, and JSON that is declared as a form is read as JSON', async () => {
    const form = { ...root, 'content-type': 'application/x-www-form-urlencoded' };
    const url = '/v1/sys/sync/destinations/x/y';
    const sent = await ask('POST', url, { headers: form, payload: 'allowed_ports=80&allowed_ports=443' });
    expect(sent.json().data).toMatchObject({ allowed_ports: ['80', '443'] });
    const json = await ask('POST', url, { headers: form, payload: ' {"allowed_ports":"80,443"}' });
    expect(json.json().data).toMatchObject({ allowed_ports: ['80', '443'] });
  });

  test('any other content type is read as JSON', async () => {
    expect((await write('{"data":{}}', { 'content-type': 'text/plain; charset=utf-8' })).status).toBe(200);
  });

  test.each([
    ['application/json', 415, 'PATCH requires Content-Type of application/merge-patch+json, provided application/json'],
    [undefined, 400, 'mime: no media type'],
  ])('PATCH with content type %j is %i', async (type, status, error) => {
    const headers = { ...root, ...(type === undefined ? {} : { 'content-type': type }) };
    const reply = await ask('PATCH', '/v1/versioned/data/a', { headers, payload: '{"data":{}}' });
    expect(reply.status).toBe(status);
    expect(reply.json()).toEqual({ errors: [error] });
  });

  test.each(['gzip', 'br', 'identity, gzip', 'x'])('a body in the coding %s is 415', async (coding) => {
    const { status, json } = await write('{"data":{}}', { 'content-encoding': coding });
    expect(status).toBe(415);
    expect(json().errors).toEqual([expect.stringContaining('the request has a Content-Encoding')]);
  });

  test.each(['identity', 'Identity ', ''])('the coding %j means uncompressed', async (coding) => {
    expect((await write('{"data":{}}', { 'content-encoding': coding })).status).toBe(200);
  });

  test('PATCH accepts a merge patch', async () => {
    const headers = { ...root, 'content-type': 'application/merge-patch+json; charset=utf-8' };
    expect((await ask('PATCH', '/v1/versioned/data/a', { headers, payload: '{"data":{}}' })).status).toBe(200);
  });

  test('unknown members cause a warning in every reply, overridden ones in replies with content', async () => {
    const payload = '{"b":1,"a":2,"name":"z"}';
    const { json } = await ask('POST', '/v1/sys/sync/destinations/x/y', { payload });
    expect(json().warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [a b]',
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
    ]);
    expect(json().data.name).toBe('y');
    const nothing = await ask('POST', '/v1/sys/nothing', { payload });
    expect(nothing.status).toBe(200);
    expect(nothing.json().warnings).toEqual(['Endpoint ignored these unrecognized parameters: [a b name]']);
  });

  test('the value of a sensitive field of a wrong type is never quoted', async () => {
    const payload = '{"role":"r","password":["marker-value"]}';
    const { status, body, json } = await ask('POST', '/v1/sys/login', { headers: {}, payload });
    expect(status).toBe(400);
    expect(json().errors).toEqual([
      'Field validation failed: error converting input for field "password": expected string',
    ]);
    expect(body).not.toContain('marker-value');
  });
});
