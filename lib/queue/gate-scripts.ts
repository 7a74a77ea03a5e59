import { script } from './script.ts';

/**
 * A gate is a hash and a sorted set of passes (by the time they end). Fields of the hash, times in milliseconds:
 * `t` tokens at time `s`; `f` sick verdicts in a row; `c` closed until (absent: open); `b` length of the last closing;
 * `p` the pass of the probe, which ends at `e`; `h` how long a pass is held on average; `q` the place in the row of those
 * that were put aside.
 *
 * open → (5 sick in a row, or Retry-After) → closed until `c` → half open: one probe → well: open; sick: closed for longer.
 *
 * Time is given by the caller, or, when the argument is empty, taken from Redis.
 */
const head = `
local key, passes = KEYS[1], KEYS[2]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local names = {'t', 's', 'f', 'c', 'b', 'p', 'e', 'h', 'q'}
local found, before = redis.call('HMGET', key, unpack(names)), {}
for i, name in ipairs(names) do before[name] = found[i] end
local function field(name, usual) return tonumber(before[name] or usual) end
local function keep()
  redis.call('PEXPIRE', key, 7200000)
  redis.call('PEXPIRE', passes, 7200000)
end
`;

/**
 * ARGV now, pass, calls per second, burst, passes at once, life of a pass, how far the put aside are spread. Answers
 * {1} or {0, wait in ms, reason: 1 rate, 2 concurrency, 3 broken}. Each one that is refused gets its own place after the
 * first possible time, at the pace in which places become free, so that they do not come back all at once.
 */
export const enterScript = script(`${head}
local pass, rate, burst, most, life, spread = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]),
  tonumber(ARGV[6]), tonumber(ARGV[7])
local function refuse(reason, from, pace)
  local place = math.max(field('q', 0), from)
  if place > from + spread then place = from end
  redis.call('HSET', key, 'q', string.format('%.3f', place + pace))
  keep()
  return {0, math.max(1, math.ceil(place - now)), reason}
end
redis.call('ZREMRANGEBYSCORE', passes, '-inf', now)
local pace = math.max(1000 / rate, 1)
local hold = math.max(field('h', 200) / most, 1)
local closed = field('c', 0)
if closed > now then return refuse(3, closed, pace) end
if closed > 0 and field('e', 0) > now then return refuse(3, now + field('h', 200), pace) end
if redis.call('ZCARD', passes) >= most then return refuse(2, now + hold, hold) end
local tokens = math.min(burst, field('t', burst) + math.max(0, now - field('s', now)) * rate / 1000)
if tokens < 1 then return refuse(1, now + (1 - tokens) * pace, pace) end
redis.call('HSET', key, 's', string.format('%.0f', math.max(now, field('s', now))), 't', tokens - 1)
redis.call('ZADD', passes, now + life, pass)
if closed > 0 then redis.call('HSET', key, 'p', pass, 'e', string.format('%.0f', now + life)) end
keep()
return {1}`);

/**
 * ARGV now, pass, 1 if sick, Retry-After in ms (0: none), how long the pass was held, sick in a row that close, first and
 * longest closing, a random number from 0 to 1. A verdict counts once; one that comes while the gate is closed, or
 * half open and not from the probe, tells of calls made before and changes nothing but a longer Retry-After.
 */
export const leaveScript = script(`${head}
local pass, sick, after = ARGV[2], ARGV[3] == '1', tonumber(ARGV[4])
local most, first, longest, random = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
if redis.call('ZREM', passes, pass) == 0 then return 0 end
redis.call('HSET', key, 'h', string.format('%.0f', field('h', 200) * 0.8 + tonumber(ARGV[5]) * 0.2))
local closed, probe = field('c', 0), before.p == pass
local function close(till, length)
  redis.call('HSET', key, 'c', string.format('%.0f', math.max(closed, till)), 'b', length)
  redis.call('HDEL', key, 'p', 'e', 'f')
end
if sick and after > 0 then
  close(now + after, field('b', 0))
elseif closed > 0 and not probe then
  return 0
elseif not sick then
  if before.f or closed > 0 or before.b or before.p then redis.call('HDEL', key, 'f', 'c', 'b', 'p', 'e') end
else
  local row = redis.call('HINCRBY', key, 'f', 1)
  if probe or row >= most then
    local length = math.min(longest, math.max(first, field('b', 0) * 2))
    close(now + length * (1 + random / 4), length)
  end
end
keep()
return 0`);
