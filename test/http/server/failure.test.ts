import { describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { keptLog, sampleParts } from '../sample.ts';

describe('statuses', () => {
  test.each([
    ['bad-request', 400],
    ['already-exists', 400],
    ['permission-denied', 403],
    ['not-found', 404],
    ['unsupported-path', 404],
    ['unsupported-operation', 405],
    ['too-large', 413],
    ['unsupported-media', 415],
    ['unavailable', 503],
    ['internal', 500],
  ])('an error of kind %s is %i', async (kind, expected) => {
    const { status, json } = await ask('GET', `/v1/sys/fail/${kind}`);
    expect(status).toBe(expected);
    expect(json()).toEqual({ errors: [`it is ${kind}`] });
  });

  test('several invalid fields are reported in one text with line breaks', async () => {
    for (const name of ['x-service-token', 'x-vault-token']) {
      const { status, json } = await ask('POST', '/v1/sys/login', { headers: { [name]: 'root' }, payload: '{}' });
      expect(status).toBe(400);
      const missing = (field: string) => `Field validation failed: missing required field "${field}"`;
      const problems = ['role', 'password'].map((field) => ({ field, message: 'required' }));
      expect(json()).toEqual({ errors: [`${missing('role')}\n${missing('password')}`], problems });
    }
  });

  test('a text that quotes a long request is truncated', async () => {
    const { status, json } = await ask('GET', `/v1/nowhere/${'x'.repeat(9_000)}`);
    expect(status).toBe(404);
    expect(json().errors[0]).toMatch(/^no handler for route "nowhere\/x{1900,} \(cut off\)$/);
    expect(json().errors[0].length).toBeLessThan(2_100);
  });

  test('an unexpected error shows no detail to the caller and no value in the log', async () => {
    const log = keptLog();
    const { status, body } = await ask('GET', '/v1/sys/broken', {}, sampleParts({ log }));
    expect(status).toBe(500);
    expect(body).toBe('{"errors":["internal error"]}');
    expect(log.lines.filter((line) => line.includes('unexpectedly'))).toEqual([
      expect.stringMatching(/request_id.*sample-system\.ts/),
    ]);
    expect(log.lines.join()).not.toContain('marker-value');
  });
});
