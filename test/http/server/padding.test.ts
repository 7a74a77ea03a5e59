import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Padding } from '#http/v2/padding.ts';
import type { Outgoing } from '#http/wire/exchange.ts';

const document: Outgoing = { status: 404, body: '{"errors":[{"status":"404"}]}' };

/** The reply once its head is known, with a stream as its body. */
async function begun(reply: Promise<Outgoing>): Promise<Outgoing & { readonly body: Readable }> {
  const outgoing = await new Padding(20).around(reply);
  return outgoing as Outgoing & { readonly body: Readable };
}

test('a reply that comes before the first byte is due stays as it is', async () => {
  expect(await new Padding(60_000).around(Promise.resolve(document))).toBe(document);
});

test('a later one begins with white space, and its document has what the status would say', async () => {
  const later = Promise.withResolvers<Outgoing>();
  const { status, body, headers, work } = await begun(later.promise);
  expect([status, headers]).toEqual([200, { 'x-accel-buffering': 'no' }]);
  const pieces: string[] = [];
  body.on('data', (bytes: Buffer) => {
    pieces.push(bytes.toString());
    if (pieces.length === 3) later.resolve(document);
  });
  await once(body, 'end');
  await work;
  expect(pieces.slice(0, 3)).toEqual([' ', ' ', ' ']);
  expect(JSON.parse(pieces.join(''))).toEqual({ errors: [{ status: '404' }] });
});

test('a reply without a body becomes a document without data', async () => {
  const later = Promise.withResolvers<Outgoing>();
  const { body } = await begun(later.promise);
  later.resolve({ status: 204, body: undefined });
  expect(JSON.parse((await body.toArray()).join(''))).toEqual({ data: null });
});

test('a client that has left gets no more, and the work for its reply goes on', async () => {
  const later = Promise.withResolvers<Outgoing>();
  const { body, work } = await begun(later.promise);
  body.destroy();
  await once(body, 'close');
  later.resolve(document);
  await work;
  expect(body.readableLength).toBeLessThanOrEqual(1);
});
