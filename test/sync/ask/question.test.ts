import { expect, test } from 'vitest';
import { AppError, badField } from '#core/errors.ts';
import {
  failedReply,
  openQuestion,
  openReply,
  type Question,
  reportOf,
  sealQuestion,
  sealReply,
} from '#sync/ask/question.ts';
import { testStore } from '../../store/stores.ts';
import { ending } from '../../support/services.ts';

const secret = 'a-secret-that-stays-out-of-redis';
const question: Question = {
  kind: 'check',
  namespaceId: 'root',
  connection: { token: secret },
  network: {
    disable_strict_networking: false,
    allowed_ipv4_addresses: [],
    allowed_ipv6_addresses: [],
    allowed_ports: [],
  },
  rateGroup: null,
  probe: 'keyferry-check-1',
};

test('a question holds its credentials encrypted, and opens only under its own id', async () => {
  const store = ending(await testStore());
  const text = sealQuestion(store, 'one', question);
  expect(Buffer.from(text, 'base64').toString('latin1')).not.toContain(secret);
  expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
  expect(openQuestion(store, 'one', text)).toEqual(question);
  expect(() => openQuestion(store, 'two', text)).toThrow();
  expect(() => openReply(store, 'one', text)).toThrow();
});

test('the reply to a failed check says what the caller may know', async () => {
  const store = ending(await testStore());
  const busy = failedReply(new AppError('unavailable', 'the rate is used up'));
  expect(openReply(store, 'one', sealReply(store, 'one', busy))).toEqual(busy);
  expect(failedReply(new Error(secret))).toEqual({
    kind: 'internal',
    messages: [expect.not.stringContaining(secret)],
    problems: [],
  });
});

test('a refusal by field keeps its fields on the way from the worker', async () => {
  const store = ending(await testStore());
  const refused = failedReply(badField(['url', 'ca'], 'url and ca exclude each other', { rule: 'not with the other' }));
  const reply = openReply(store, 'one', sealReply(store, 'one', refused));
  let thrown: unknown;
  try {
    reportOf(reply);
  } catch (cause) {
    thrown = cause;
  }
  expect(thrown).toMatchObject({ kind: 'bad-request', messages: ['url and ca exclude each other'] });
  const problems = thrown instanceof AppError ? thrown.problemsIn((name) => name.toUpperCase()) : [];
  expect(problems).toEqual([
    { field: 'URL', message: 'not with the other' },
    { field: 'CA', message: 'not with the other' },
  ]);
});

test('a worker of an earlier release sends no fields', async () => {
  const store = ending(await testStore());
  const old = store.barrier.seal(JSON.stringify({ kind: 'upstream', messages: ['away'] }), 'answers/one');
  expect(openReply(store, 'one', old.toString('base64'))).toEqual({
    kind: 'upstream',
    messages: ['away'],
    problems: [],
  });
});
