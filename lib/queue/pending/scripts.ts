import { script } from '../redis/call.ts';

/**
 * The pending set is a hash: association id → "asked" or "asked,reserved", two generations. *Asked* has (or is about to get)
 * a job; *reserved* is room taken for a change that is not committed yet (asked is 0 when there is nothing else). An entry
 * counts once, whatever it holds, and goes when neither is left.
 */
const entry = `
local function read(id)
  local value = redis.call('HGET', KEYS[1], id)
  if not value then return nil end
  local comma = string.find(value, ',', 1, true)
  if not comma then return tonumber(value), 0 end
  return tonumber(string.sub(value, 1, comma - 1)), tonumber(string.sub(value, comma + 1))
end
local function write(id, asked, reserved)
  if asked == 0 and reserved == 0 then
    redis.call('HDEL', KEYS[1], id)
  elseif reserved == 0 then
    redis.call('HSET', KEYS[1], id, string.format('%.0f', asked))
  else
    redis.call('HSET', KEYS[1], id, string.format('%.0f,%.0f', asked, reserved))
  end
end
`;

/** KEYS pending; ARGV capacity, then id and generation of each. Answers 1 (asked for) or 0 (no room) for each. */
export const askScript = script(`${entry}
local capacity = tonumber(ARGV[1])
local count = redis.call('HLEN', KEYS[1])
local answer = {}
for i = 2, #ARGV, 2 do
  local id, generation = ARGV[i], tonumber(ARGV[i + 1])
  local asked, reserved = read(id)
  if asked or count < capacity then
    if not asked then count = count + 1 end
    if (reserved or 0) <= generation then reserved = 0 end
    write(id, math.max(asked or 0, generation), reserved)
    answer[#answer + 1] = 1
  else
    answer[#answer + 1] = 0
  end
end
return answer`);

/** KEYS pending; ARGV capacity, id, generation. Answers 1, or 0: no room. */
export const reserveScript = script(`${entry}
local asked, reserved = read(ARGV[2])
if not asked and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
write(ARGV[2], asked or 0, math.max(reserved or 0, tonumber(ARGV[3])))
return 1`);

/** KEYS pending; ARGV id, generation. A reservation of a newer generation stays, and what was asked for stays. */
export const releaseScript = script(`${entry}
local asked, reserved = read(ARGV[1])
if asked and reserved <= tonumber(ARGV[2]) then write(ARGV[1], asked, 0) end
return 0`);

/**
 * KEYS pending; ARGV the beginning of BullMQ's keys of the successors that wait for the end of an active job, the beginning of
 * the channels of those who wait for it, then for each: id, generation. Answers for each 0 (gone), 1 (something newer is asked
 * for and has its successor) or 2 (asked for, without one).
 */
export const finishScript = script(`${entry}
local answer = {}
for i = 3, #ARGV, 2 do
  local id, generation = ARGV[i], tonumber(ARGV[i + 1])
  local asked, reserved = read(id)
  redis.call('PUBLISH', ARGV[2] .. id, '')
  if not asked then
    answer[#answer + 1] = 0
  else
    if asked <= generation then asked = 0 end
    if reserved <= generation then reserved = 0 end
    write(id, asked, reserved)
    if asked == 0 then
      answer[#answer + 1] = 0
    else
      answer[#answer + 1] = redis.call('EXISTS', ARGV[1] .. id) == 1 and 1 or 2
    end
  end
end
return answer`);

/**
 * KEYS pending; ARGV for each: id, beginning of BullMQ's keys of its type. Answers 1 (missing: not asked for, or without a
 * job) or 0 for each. A deduplication key whose job is gone counts as no job.
 */
export const missingScript = script(`${entry}
local answer = {}
for i = 1, #ARGV, 2 do
  local id, jobs = ARGV[i], ARGV[i + 1]
  local asked = read(id)
  local job = asked and asked > 0 and redis.call('GET', jobs .. 'de:' .. id)
  answer[#answer + 1] = job and redis.call('EXISTS', jobs .. job) == 1 and 0 or 1
end
return answer`);

/**
 * KEYS pending, doubted; ARGV now (empty: the time of Redis), age of a doubt that takes off, age of a doubt that is dropped, then for each: id, the
 * entry's value as it was read, and 1 if it is dirty. An entry that changed since the first doubt
 * begins again, and so does one whose first doubt is in the future: the clock went back.
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
