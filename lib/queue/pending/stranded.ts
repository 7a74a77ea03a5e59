import { Job } from 'bullmq';
import { jobsOf, type Parts } from '../parts.ts';
import { run, script } from '../redis/call.ts';

/** Clocks of healthy machines differ by less. */
const toleranceMs = 30_000;
/** Of each type in one go. */
const jobsMax = 1_000;

/**
 * KEYS delayed; ARGV tolerance, at most, beginning of BullMQ's keys. BullMQ's score of a delayed job is the time at which it
 * is due in milliseconds times 4096, by the clock of who delayed it; its field `delay` says for how long it was, so the
 * difference is when. Those delayed in the future are due last of all.
 */
const strandedScript = script(`
local time = redis.call('TIME')
local now, tolerance, most = time[1] * 1000 + math.floor(time[2] / 1000), tonumber(ARGV[1]), tonumber(ARGV[2])
local stranded = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', (now - tolerance) * 4096), 'LIMIT', 0, most)
local last = redis.call('ZREVRANGE', KEYS[1], 0, most - 1, 'WITHSCORES')
for i = 1, #last, 2 do
  local at = math.floor(tonumber(last[i + 1]) / 4096)
  if at <= now + tolerance then break end
  local delay = tonumber(redis.call('HGET', ARGV[3] .. last[i], 'delay') or '0') or 0
  if at - delay > now + tolerance then stranded[#stranded + 1] = last[i] end
end
return stranded`);

/**
 * The clock of Redis decides, which is one for all. What it takes up too early, were it itself far off, is refused by
 * the gate or tried once more: no more than that.
 */
export async function takeUpStranded(parts: Parts): Promise<number> {
  const counts = await Promise.all(parts.types.map((type) => takeUpOf(parts, type)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function takeUpOf(parts: Parts, type: string): Promise<number> {
  const beginning = parts.keys.jobs(type);
  const answer = await run(parts.failFast, strandedScript, [`${beginning}delayed`], [toleranceMs, jobsMax, beginning]);
  const ids = Array.isArray(answer) ? answer.map(String) : [];
  const taken = await Promise.all(ids.map((id) => promote(parts, type, id)));
  return taken.filter(Boolean).length;
}

/** False: it is not delayed any more. */
async function promote(parts: Parts, type: string, id: string): Promise<boolean> {
  const job = await Job.fromId(jobsOf(parts, type), id);
  return job === undefined
    ? false
    : job.promote().then(
        () => true,
        () => false,
      );
}
