import { expect, test } from 'vitest';
import { withSession } from '#http/session/session.ts';
import type { Outgoing } from '#http/wire/exchange.ts';

/** The cookies of the reply to a log out which the service answers like this. */
async function cookiesAfter(status: number): Promise<readonly string[]> {
  const headers = {
    host: '127.0.0.1:8200',
    'x-keyferry-ui': '1',
    'sec-fetch-site': 'same-origin',
    'x-keyferry-session': 'end',
    cookie: 'keyferry-8200=token',
  };
  const answer: Outgoing = { status, body: '' };
  const service = { urls: [], owns: () => true, refuse: () => answer, pipeline: async () => answer };
  const incoming = { method: 'POST', headers, connection: { tls: false } };
  const { cookies = [] } = await withSession(service, (token) => ['x-service-token', token]).pipeline(
    incoming as never,
  );
  return cookies;
}

test.each([204, 400, 403])('a log out with status %i removes the cookie', async (status) => {
  const cookies = await cookiesAfter(status);
  expect(cookies).toHaveLength(2);
  for (const cookie of cookies) expect(cookie).toContain('Max-Age=0');
});

test.each([429, 500, 503])('a log out with status %i revoked nothing, so the cookie stays', async (status) => {
  expect(await cookiesAfter(status)).toEqual([]);
});
