import type { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import type { Answer, Asks } from '../contract.ts';
import type { Keys } from '../parts.ts';
import { run, script } from '../redis/call.ts';
import type { Announcements } from '../wake/announcements.ts';

export interface AnswerParts {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly announcements: Announcements;
  readonly log: Log;
}

/** Questions of one type that a process answers at once. */
const atOnceMax = 4;
/** How often the list is looked at if no announcement comes. */
const lookEveryMs = 2_000;
/** How long an answer is kept for the one who asked. */
const keptMs = 30_000;

/** KEYS: list of the type. ARGV: prefix of the questions. Takes the first question that has not expired. */
const takeScript = script(`
while true do
  local id = redis.call('LPOP', KEYS[1])
  if not id then return false end
  local text = redis.call('GETDEL', ARGV[1] .. id)
  if text then return {id, text} end
end`);

interface Question {
  readonly id: string;
  readonly text: string;
}

async function take({ redis, keys }: AnswerParts, type: string): Promise<Question | undefined> {
  const taken = await run(redis, takeScript, [keys.ask.list(type)], [keys.ask.question('')]);
  if (!Array.isArray(taken)) return undefined;
  const [id, text] = taken;
  return { id: String(id), text: String(text) };
}

/** The answer to a failed question never comes: the one who asked waits for its time and says so. */
async function answerOne(parts: AnswerParts, { id, text }: Question, answer: Answer, signal: AbortSignal) {
  const { redis, keys, log } = parts;
  try {
    const answered = await answer(id, text, signal);
    await redis.set(keys.ask.answer(id), answered, 'PX', keptMs);
    await redis.publish(keys.channel(keys.ask.answered(id)), '');
  } catch (cause) {
    log.warn({ error: cause instanceof Error ? cause.message : 'unknown' }, 'a question was not answered');
  }
}

/** Takes questions as they come, a few at once, until it is closed. For processes that listen all the time. */
export const answering =
  (parts: AnswerParts): Asks['answer'] =>
  (type, answer, { mayTake }) => {
    const closing = new AbortController();
    const running = new Set<Promise<void>>();
    const takeAll = async () => {
      while (!closing.signal.aborted && mayTake()) {
        if (running.size >= atOnceMax) await Promise.race(running);
        const question = await take(parts, type);
        if (question === undefined) return;
        const one = answerOne(parts, question, answer, closing.signal).finally(() => running.delete(one));
        running.add(one);
      }
    };
    const listen = async () => {
      while (!closing.signal.aborted) {
        const listener = parts.announcements.listen(parts.keys.ask.asked(type));
        await listener.ready;
        await takeAll().catch((cause: unknown) => {
          parts.log.debug({ type, error: cause instanceof Error ? cause.message : 'unknown' }, 'no question was taken');
        });
        await listener.wait(lookEveryMs, closing.signal);
        listener.stop();
      }
    };
    const listening = listen();
    return {
      async close() {
        closing.abort();
        await Promise.all([listening, ...running]);
      },
    };
  };

/** Answers the questions that wait now. For functions. */
export const answeringWaiting =
  (parts: AnswerParts): Asks['answerWaiting'] =>
  async (type, answer, deadline) => {
    const signal = AbortSignal.timeout(Math.max(0, deadline.getTime() - Date.now()));
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      if (running.size >= atOnceMax) await Promise.race(running);
      const question = await take(parts, type);
      if (question === undefined) break;
      const one = answerOne(parts, question, answer, signal).finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.all(running);
  };
