import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { adaptPath, nameOperation, toServiceError } from './adapt.ts';

function message(method: string, url: string, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { method, url, headers });
}

const answer = (status: number, json: object) => ({ status, headers: {}, body: Buffer.from(JSON.stringify(json)) });
const refusal = { error: { code: 'com.example.AlreadyExistsException', message: 'A deleted entity already exists' } };

test('the version of the API is one that lowkey-vault knows, however the parameter is written', () => {
  expect(adaptPath('/secrets/a?api-version=2026-04-01')).toBe('/secrets/a?api-version=7.6');
  expect(adaptPath('/secrets/a/versions?api%2Dversion=2026-04-01&maxresults=25')).toBe(
    '/secrets/a/versions?api-version=7.6&maxresults=25',
  );
  expect(adaptPath('/ping')).toBe('/ping');
});

test('the refusal of a name that a deleted secret holds gets the code of the service', () => {
  const { status, body, headers } = toServiceError(answer(409, refusal), message('PUT', '/secrets/a'));
  expect(status).toBe(409);
  expect(JSON.parse(body.toString())).toEqual({
    error: {
      code: 'Conflict',
      message: 'A deleted entity already exists',
      innererror: { code: 'ObjectIsDeletedButRecoverable' },
    },
  });
  expect(headers['content-length']).toBe(String(body.length));
});

test.each([
  [409, 'POST'],
  [404, 'PUT'],
  [200, 'PUT'],
])('an answer %d to a %s is left as it is', (status, method) => {
  const given = answer(status, refusal);
  expect(toServiceError(given, message(method, '/secrets/a'))).toBe(given);
});

test('a request without a token meets no fault', () => {
  expect(nameOperation(message('PUT', '/secrets/a'))).toEqual({ operation: 'challenge', writes: false, spared: true });
  const authorized = message('PUT', '/secrets/a?api-version=7.6', { authorization: 'Bearer token' });
  expect(nameOperation(authorized)).toEqual({ operation: 'PUT secrets', writes: true });
});
