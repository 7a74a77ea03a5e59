import { script } from './script.ts';

/**
 * A gate is a hash and a sorted set of passes (by the time they end). Fields of the hash, times in milliseconds:
 * `t` tokens at time `s`; `f` sick verdicts in a row; `c` closed until (absent: open); `b` length of the last closing;
 * `p` the pass of the probe, which ends at `e`; `h` how long a pass is held on average; `q` the place in the row of those
 * that were put aside.
 *
 * open → (5 sick in a row, or Retry-After) → closed until `c` → half open: one probe → well: open; sick: closed for longer.
 *
 * Both scripts serve many gates at once: each is read once, changed in memory, and what changed is written back.
 * Time is given by the caller, or, when the argument is empty, taken from Redis.
 */
const head = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local names = {'t', 's', 'f', 'c', 'b', 'p', 'e', 'h', 'q'}
local function read(key)
  local found, before, gate = redis.call('HMGET', key, unpack(names)), {}, {}
  for i, name in ipairs(names) do
    local value = found[i]
    if value and name ~= 'p' then value = tonumber(value) end
    before[name], gate[name] = value or nil, value or nil
  end
  return gate, before
end
local function keep(key, passes, gate, before)
  local set, gone = {}, {}
  for _, name in ipairs(names) do
    local value = gate[name]
    if value == nil and before[name] ~= nil then
      gone[#gone + 1] = name
    elseif value ~= before[name] then
      set[#set + 1] = name
      set[#set + 1] = type(value) == 'number' and string.format('%.17g', value) or value
    end
  end
  if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
  if #set > 0 then redis.call('HSET', key, unpack(set)) end
  redis.call('PEXPIRE', key, 7200000)
  redis.call('PEXPIRE', passes, 7200000)
end
`;

/**
 * KEYS hash and passes of each gate. ARGV now, how far the put aside are spread, then for each gate: calls per second, burst,
 * passes at once, life of a pass, how many want in, and a name of a pass for each of those. Answers three numbers for each:
 * 1, how many calls at once are its share, 0; or 0, wait in ms, reason (1 rate, 2 concurrency, 3 broken). Each one that is
 * refused gets its own place after the first possible time, at the pace in which places become free, so that they do not
 * come back all at once.
 */
export const enterScript = script(`${head}
local spread, at, answer = tonumber(ARGV[2]), 3, {}
local function tell(a, b, c)
  answer[#answer + 1] = a
  answer[#answer + 1] = b
  answer[#answer + 1] = c
end
for k = 1, #KEYS, 2 do
  local key, passes = KEYS[k], KEYS[k + 1]
  local rate, burst, most, life, count = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]),
    tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local gate, before = read(key)
  redis.call('ZREMRANGEBYSCORE', passes, '-inf', now)
  local held = redis.call('ZCARD', passes)
  local pace, hold, closed = math.max(1000 / rate, 1), math.max((gate.h or 200) / most, 1), gate.c or 0
  local tokens = math.min(burst, (gate.t or burst) + math.max(0, now - (gate.s or now)) * rate / 1000)
  local entered, first = {}, #answer
  local function refusal()
    if closed > now then return 3, closed, pace end
    if closed > 0 and (gate.e or 0) > now then return 3, now + (gate.h or 200), pace end
    if held >= most then return 2, now + hold, hold end
    if tokens < 1 then return 1, now + (1 - tokens) * pace, pace end
  end
  for i = 1, count do
    local reason, from, step = refusal()
    if reason then
      local place = math.max(gate.q or 0, from)
      if place > from + spread then place = from end
      gate.q = place + step
      tell(0, math.max(1, math.ceil(place - now)), reason)
    else
      local pass = ARGV[at + 4 + i]
      held, tokens = held + 1, tokens - 1
      entered[#entered + 1] = now + life
      entered[#entered + 1] = pass
      if closed > 0 then gate.p, gate.e = pass, now + life end
      tell(1, 0, 0)
    end
  end
  if #entered > 0 then
    gate.s, gate.t = math.max(now, gate.s or now), tokens
    redis.call('ZADD', passes, unpack(entered))
    local share = math.max(1, math.floor(most / held))
    for i = first + 1, #answer, 3 do if answer[i] == 1 then answer[i + 1] = share end end
  end
  keep(key, passes, gate, before)
  at = at + 5 + count
end
return answer`);

/**
 * KEYS hash and passes of each gate. ARGV now, sick in a row that close, first and longest closing, the most tokens that can
 * be owed, as seconds of the rate; then for each gate: calls per second, how many leave, and for each of those: pass, 1 if
 * sick, Retry-After in ms (0: none), how long the pass was held, how many calls were made, a random number from 0 to 1.
 *
 * A pass was paid with one token; what was called beyond that is owed, and who made no call gets it back: that one knows
 * nothing of the destination, and if it was the probe, the next one is. A verdict counts once; one that comes while the gate
 * is closed, or half open and not from the probe, tells of calls made before and changes nothing but a longer Retry-After.
 */
export const leaveScript = script(`${head}
local most, first, longest, owed = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local at = 6
for k = 1, #KEYS, 2 do
  local key, passes = KEYS[k], KEYS[k + 1]
  local gate, before = read(key)
  local rate, count = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local function close(till, length)
    gate.c, gate.b = math.max(gate.c or 0, till), length
    gate.p, gate.e, gate.f = nil, nil, nil
  end
  local function hear(sick, after, probe, random)
    if sick and after > 0 then
      close(now + after, gate.b or 0)
    elseif (gate.c or 0) > 0 and not probe then
      return
    elseif not sick then
      gate.f, gate.c, gate.b, gate.p, gate.e = nil, nil, nil, nil, nil
    else
      gate.f = (gate.f or 0) + 1
      if probe or gate.f >= most then
        local length = math.min(longest, math.max(first, (gate.b or 0) * 2))
        close(now + length * (1 + random / 4), length)
      end
    end
  end
  for i = at + 2, at + 1 + count * 6, 6 do
    local pass, calls = ARGV[i], tonumber(ARGV[i + 4])
    if redis.call('ZREM', passes, pass) == 1 then
      gate.h = math.floor((gate.h or 200) * 0.8 + tonumber(ARGV[i + 3]) * 0.2 + 0.5)
      if gate.t then gate.t = math.max(gate.t - calls + 1, -owed * rate) end
      local sick, probe = ARGV[i + 1] == '1', gate.p == pass
      if sick or calls > 0 then
        hear(sick, tonumber(ARGV[i + 2]), probe, tonumber(ARGV[i + 5]))
      elseif probe then
        gate.p, gate.e = nil, nil
      end
    end
  end
  keep(key, passes, gate, before)
  at = at + 2 + count * 6
end
return 0`);
