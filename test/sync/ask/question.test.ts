import { expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { failedReply, openQuestion, openReply, type Question, sealQuestion, sealReply } from '#sync/ask/question.ts';
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
  expect(failedReply(new Error(secret))).toEqual({ kind: 'internal', messages: [expect.not.stringContaining(secret)] });
});
