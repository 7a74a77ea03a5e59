import { script } from '../redis/call.ts';

/**
 * The pending set is a hash: association id → "requested" or "requested,reserved", two generations. A *requested* generation has a job,
 * or is about to get one; a *reserved* one holds capacity for a change that is not committed yet (requested is 0 if there is nothing
 * else). An entry counts once, whatever it holds, and is removed when neither is left.
 */
const entry = `
local function read(id)
  local value = redis.call('HGET', KEYS[1], id)
  if not value then return nil end
  local comma = string.find(value, ',', 1, true)
  if not comma then return tonumber(value), 0 end
  return tonumber(string.sub(value, 1, comma - 1)), tonumber(string.sub(value, comma + 1))
end
local function write(id, requested, reserved)
  if requested == 0 and reserved == 0 then
    redis.call('HDEL', KEYS[1], id)
  elseif reserved == 0 then
        redis.call('HSET', KEYS[1], id, string.format('%.0f', requested))
  else
        redis.call('HSET', KEYS[1], id, string.format('%.0f,%.0f', requested, reserved))
  end
end
`;

/** KEYS: pending. ARGV: capacity, then id and generation of each operation. Returns 1 (accepted) or 0 (no capacity) for each. */
export const reserveManyScript = script(`${entry}
local capacity = tonumber(ARGV[1])
local count = redis.call('HLEN', KEYS[1])
local answer = {}
for i = 2, #ARGV, 2 do
  local id, generation = ARGV[i], tonumber(ARGV[i + 1])
    local requested, reserved = read(id)
    if requested or count < capacity then
      if not requested then count = count + 1 end
      if (reserved or 0) <= generation then reserved = 0 end
      write(id, math.max(requested or 0, generation), reserved)
    answer[#answer + 1] = 1
  else
    answer[#answer + 1] = 0
  end
end
return answer`);

/** KEYS: pending. ARGV: capacity, id, generation. Returns 1, or 0 when there is no capacity. */
export const reserveScript = script(`${entry}
local requested, reserved = read(ARGV[2])
if not requested and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
write(ARGV[2], requested or 0, math.max(reserved or 0, tonumber(ARGV[3])))
return 1`);

/** KEYS: pending. ARGV: id, generation. Keeps a reservation of a newer generation and anything that was requested. */
export const releaseScript = script(`${entry}
local requested, reserved = read(ARGV[1])
if requested and reserved <= tonumber(ARGV[2]) then write(ARGV[1], requested, 0) end
return 0`);

/**
 * KEYS: pending. ARGV: the prefix of BullMQ's keys for successors of active jobs, the prefix of the notification channels, then id and
 * generation of each operation. Returns for each 0 (removed), 1 (a newer generation has a successor) or 2 (a newer generation needs a
 * job).
 */
export const finishScript = script(`${entry}
local answer = {}
for i = 3, #ARGV, 2 do
  local id, generation = ARGV[i], tonumber(ARGV[i + 1])
    local requested, reserved = read(id)
    redis.call('PUBLISH', ARGV[2] .. id, '')
    if not requested then
    answer[#answer + 1] = 0
  else
        if requested <= generation then requested = 0 end
        if reserved <= generation then reserved = 0 end
        write(id, requested, reserved)
        if requested == 0 then
      answer[#answer + 1] = 0
    else
      answer[#answer + 1] = redis.call('EXISTS', ARGV[1] .. id) == 1 and 1 or 2
    end
  end
end
return answer`);

/**
 * KEYS: pending. ARGV: id of each operation and the prefix of BullMQ's keys of its type. Returns for each 1 (missing: not requested, or
 * without a job) or 0. A deduplication key whose job no longer exists counts as no job.
 */
export const missingScript = script(`${entry}
local answer = {}
for i = 1, #ARGV, 2 do
  local id, jobs = ARGV[i], ARGV[i + 1]
    local requested = read(id)
    local job = requested and requested > 0 and redis.call('GET', jobs .. 'de:' .. id)
  answer[#answer + 1] = job and redis.call('EXISTS', jobs .. job) == 1 and 0 or 1
end
return answer`);

/**
 * KEYS: pending, doubted. ARGV: now (empty: the time of Redis), the age at which a doubt removes its entry, the age at which a doubt is
 * dropped, then for each entry its id, its value as read, and 1 if it is dirty. The check starts again for an entry that has changed since
 * the first doubt, and for one whose first doubt is in the future because the clock went back.
 */
export const forgetScript = script(`
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
for i = 4, #ARGV, 3 do
  local id, value, dirty = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local doubt = id .. ' ' .. value
  local since = redis.call('ZSCORE', KEYS[2], doubt)
  if dirty == '1' then
    if since then redis.call('ZREM', KEYS[2], doubt) end
  elseif not since or tonumber(since) > now then
    redis.call('ZADD', KEYS[2], now, doubt)
  elseif now - tonumber(since) >= tonumber(ARGV[2]) then
    if redis.call('HGET', KEYS[1], id) == value then redis.call('HDEL', KEYS[1], id) end
    redis.call('ZREM', KEYS[2], doubt)
  end
end
return 0`);
