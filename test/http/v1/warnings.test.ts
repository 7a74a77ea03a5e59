import { expect, test } from 'vitest';
import { Context } from '#http/v1/request/context.ts';

test('a request that looks several times says a thing once', () => {
  const parts = {
    incoming: { requestId: 'r', connection: {}, headers: {}, body: {} },
    asked: { query: new URLSearchParams() },
    ending: {},
  };
  const context = new Context(parts as never);
  for (const message of ['Redis is unavailable', 'only the first are shown', 'Redis is unavailable'])
    context.warn(message);
  expect(context.warnings).toEqual(['Redis is unavailable', 'only the first are shown']);
});
