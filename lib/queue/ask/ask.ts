import type { Redis } from 'ioredis';
import { AppError } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import type { Asks, Doorbell } from '../contract.ts';
import type { Keys } from '../parts.ts';
import { reach, run, script } from '../redis/call.ts';
import type { Announcements } from '../wake/announcements.ts';
import { ringAll } from '../wake/doorbell.ts';

export interface AskParts {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly announcements: Announcements;
  readonly doorbell: Doorbell;
  readonly log: Log;
}

/** A question expires this long after it should have been taken, in case the process that asked has died. */
const withdrawMsMax = 2_000;
/** The most questions that wait for the workers of a type. */
const waitingMax = 100;

/**
 * KEYS: list of the type, key of the question. ARGV: the most that wait, id, text, how long it may wait, channel of the type, prefix of
 * the questions. First removes the ids at the head whose questions have expired. The list outlives every question in it.
 */
const askScript = script(`
for _ = 1, tonumber(ARGV[1]) do
  local first = redis.call('LINDEX', KEYS[1], 0)
  if not first or redis.call('EXISTS', ARGV[6] .. first) == 1 then break end
  redis.call('LPOP', KEYS[1])
end
if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PUBLISH', ARGV[5], '')
return 1`);

/** Hands a question to the workers of a type and waits for the answer of the one that takes it. */
export const asking =
  ({ redis, keys, announcements, doorbell, log }: AskParts): Asks['ask'] =>
  async ({ type, id, text, takenMsMax, answerMsMax }, signal) => {
    const listener = announcements.listen(keys.ask.answered(id));
    try {
      await listener.ready;
      const question = keys.ask.question(id);
      const args = [
        waitingMax,
        id,
        text,
        takenMsMax + withdrawMsMax,
        keys.channel(keys.ask.asked(type)),
        keys.ask.question(''),
      ];
      const accepted = await reach(() => run(redis, askScript, [keys.ask.list(type), question], args));
      if (accepted !== 1)
        throw new AppError('unavailable', `many requests wait for workers of type ${type}: try again`);
      await ringAll(doorbell, [type], log);
      const isAnswered = await listener.wait(takenMsMax, signal);
      // A question that no worker has taken by now is withdrawn.
      const isTaken = !isAnswered && (await reach(() => redis.getdel(question))) === null;
      if (isTaken) await listener.wait(answerMsMax, signal);
      return (await reach(() => redis.getdel(keys.ask.answer(id)))) ?? undefined;
    } finally {
      listener.stop();
    }
  };
