import { expect, test } from 'vitest';
import { readApiError } from '#destinations/cloud-c-sm/client/api-error.ts';
import { toServiceError } from './error.ts';

const answer = (status: number, text: string) => ({ status, headers: {}, body: Buffer.from(text) });

test.each([
  [404, 5, 'NOT_FOUND'],
  [409, 6, 'ALREADY_EXISTS'],
  [409, 10, 'ABORTED'],
  [400, 9, 'FAILED_PRECONDITION'],
  [400, 3, 'INVALID_ARGUMENT'],
  [500, 15, 'DATA_LOSS'],
  [401, 16, 'UNAUTHENTICATED'],
])('the driver reads the code of an answer %d with the number %d', async (status, code, name) => {
  const source = JSON.stringify({ code, message: 'the emulator says no', details: [] });
  const { body } = toServiceError(answer(status, source));
  const error = await readApiError(new Response(body.toString(), { status }), true);
  expect(error).toMatchObject({ status, code: name, message: 'the emulator says no' });
});

test.each([
  [200, '{"code":5,"message":"a value"}'],
  [404, '404 page not found\n'],
  [404, '{"error":{"status":"NOT_FOUND"}}'],
])('an answer %d of another form is left as it is: %s', (status, text) => {
  const given = answer(status, text);
  expect(toServiceError(given)).toBe(given);
});
