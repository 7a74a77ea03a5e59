import { afterEach, expect, test } from 'vitest';
import type { Question } from '#queue/contract.ts';
import { farDeadline, gateway, testQueue, type, until } from '../queues.ts';

const calm = new AbortController().signal;
const longMs = 60_000;
const closing: { close(): Promise<void> }[] = [];
let ids = 0;

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

function question(text: string, changes: Partial<Question> = {}): Question {
  ids += 1;
  return { type, id: `question-${ids}`, text, takenMsMax: longMs, answerMsMax: longMs, ...changes };
}

const always = { mayTake: () => true };

test('a question is answered by a worker that listens', async () => {
  const queue = await testQueue();
  closing.push(queue.answer(type, async (id, text) => `${id}: ${text.toUpperCase()}`, always));
  const asked = question('ping');
  expect(await queue.ask(asked, calm)).toBe(`${asked.id}: PING`);
});

test('each of many questions gets its own answer, from one of several workers', async () => {
  const queue = await testQueue();
  for (const worker of ['a', 'b']) closing.push(queue.answer(type, async (_id, text) => `${worker}${text}`, always));
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => queue.ask(question(`-${index}`), calm)));
  expect(answers.map((answer) => answer?.slice(1))).toEqual(Array.from({ length: 40 }, (_, index) => `-${index}`));
});

test('a question that came before a worker waits for it', async () => {
  const queue = await testQueue();
  const answer = queue.ask(question('early'), calm);
  closing.push(queue.answer(type, async (_id, text) => text, always));
  expect(await answer).toBe('early');
});

test('a function answers the questions that wait, and no later one', async () => {
  const queue = await testQueue();
  const first = queue.ask(question('first'), calm);
  const seen: string[] = [];
  const answer = async (_id: string, text: string) => {
    seen.push(text);
    return text;
  };
  await until(async () => {
    await queue.answerWaiting(type, answer, farDeadline());
    return seen.length > 0;
  });
  expect(await first).toBe('first');
  expect(await queue.ask(question('second', { takenMsMax: 50, answerMsMax: 50 }), calm)).toBeUndefined();
  expect(seen).toEqual(['first']);
});

test('a question that no worker takes in time has no answer, and is never answered later', async () => {
  const queue = await testQueue();
  const asked = question('too late', { takenMsMax: 50, answerMsMax: 100 });
  expect(await queue.ask(asked, calm)).toBeUndefined();
  const seen: string[] = [];
  await queue.answerWaiting(
    type,
    async (_id, text) => {
      seen.push(text);
      return text;
    },
    farDeadline(),
  );
  expect(seen).toEqual([]);
});

test('a failed answer is no answer, and the worker goes on', async () => {
  const queue = await testQueue();
  closing.push(
    queue.answer(
      type,
      async (_id, text) => {
        if (text === 'bad') throw new Error('unreadable');
        return text;
      },
      always,
    ),
  );
  expect(await queue.ask(question('bad', { takenMsMax: 100, answerMsMax: 200 }), calm)).toBeUndefined();
  expect(await queue.ask(question('good'), calm)).toBe('good');
});

test('a worker that may not take questions leaves them to others', async () => {
  const queue = await testQueue();
  closing.push(queue.answer(type, async () => 'sealed', { mayTake: () => false }));
  closing.push(queue.answer(type, async () => 'open', always));
  expect(await queue.ask(question('who'), calm)).toBe('open');
});

test('no more than a hundred questions wait for the workers of a type', async () => {
  const queue = await testQueue();
  const leaving = new AbortController();
  const waiting = Array.from({ length: 100 }, (_, index) => queue.ask(question(`${index}`), leaving.signal));
  const refused = await Promise.allSettled([
    until(async () => {
      const one = await queue.ask(question('more', { takenMsMax: 20, answerMsMax: 1 }), calm).catch(() => 'refused');
      return one === 'refused';
    }),
  ]);
  expect(refused).toMatchObject([{ status: 'fulfilled' }]);
  leaving.abort();
  await Promise.all(waiting);
});

test('closing aborts the answers in progress', async () => {
  const queue = await testQueue();
  const begun = gateway();
  const worker = queue.answer(
    type,
    (_id, _text, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        begun.open();
      }),
    always,
  );
  const answer = queue.ask(question('endless', { takenMsMax: 1_000, answerMsMax: 1_000 }), calm);
  await begun.opened;
  await worker.close();
  expect(await answer).toBeUndefined();
});

test('a question wakes the workers of its type, and again when a worker ends before it is taken', async () => {
  const rung: string[] = [];
  const doorbell = { ring: async (which: string) => void rung.push(which) };
  const queue = await testQueue({ doorbell });
  await queue.ask(question('ring', { takenMsMax: 20, answerMsMax: 1 }), calm);
  expect(rung).toEqual([type]);
});
