import { Job } from 'bullmq';
import { jobsOf, type Parts } from '../parts.ts';
import { run, script } from '../redis/call.ts';

/** The clocks of healthy machines differ by less than this. */
const toleranceMs = 30_000;
/** Maximum number of jobs per type and run. */
const jobsMax = 1_000;

/**
 * KEYS: delayed. ARGV: tolerance, maximum number, prefix of BullMQ's keys. BullMQ's score of a delayed job is its due time in milliseconds
 * times 4096, by the clock of the process that delayed it. The field `delay` is the length of the delay, so the difference is the time at
 * which it was delayed. Jobs that were delayed "in the future" have the latest due times.
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
 * Promotes delayed jobs that no worker would take in time. The clock of Redis decides, which is the same for all processes. If it is far
 * off itself, jobs run too early, and the worst effect is a refusal by the gate or one more attempt.
 */
export async function promoteStranded(parts: Parts): Promise<number> {
  const counts = await Promise.all(parts.types.map((type) => promoteStrandedOf(parts, type)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function promoteStrandedOf(parts: Parts, type: string): Promise<number> {
  const prefix = parts.keys.jobs(type);
  const answer = await run(parts.failFast, strandedScript, [`${prefix}delayed`], [toleranceMs, jobsMax, prefix]);
  const ids = Array.isArray(answer) ? answer.map(String) : [];
  const promoted = await Promise.all(ids.map((id) => promote(parts, type, id)));
  return promoted.filter(Boolean).length;
}

/** False when the job is no longer delayed. */
async function promote(parts: Parts, type: string, id: string): Promise<boolean> {
  const job = await Job.fromId(jobsOf(parts, type), id);
  return job === undefined
    ? false
    : job.promote().then(
        () => true,
        () => false,
      );
}
