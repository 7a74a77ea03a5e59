import { script } from '../redis/call.ts';
import { cutting, learning, windows } from './learning.ts';

/**
 * A gate consists of a hash and a sorted set of passes (by expiry time). The hash of its account is shared by all destinations that the
 * provider counts together. An operation needs a token of both. Fields of the hash, with times in milliseconds:
 * `t` tokens at time `s`; `f` consecutive sick verdicts; `c` closed until (absent: open); `b` length of the last closing; `p` the pass of
 * the probe, which expires at `e`; `h` how long a pass is held on average; `q` the next time to give to a delayed operation; `a` the key of
 * the account; `n` the latest time seen. An account has `t`, `s`, `n`, and `c`: no call before. What it has learned: `l` the limit in calls
 * per second, which both refill at; `d` the time of its last decrease; `m` the limit before that; `u` calls since then while the limit
 * was used up (docs/decisions/0026-learned-rate.md). Where the provider counts calls in windows: `o` the start of the present one, `k` the
 * calls in it; `v` is set once the provider has told when one ends. What throttling did to a gate: `y` is set while `c` comes from it; `w`
 * and `x` are when it began to cut the destination, more than a limit that is just passed now and then, and until when it did, or will.
 *
 * open → (5 consecutive sick verdicts, or Retry-After) → closed until `c` → half open: one probe → well: open; sick: closed for longer.
 *
 * Both scripts serve many gates at once: each is read once, changed in memory, and its changes are written back. The caller passes the
 * time; when the argument is empty, Redis provides it. When the time has gone back by more than a second, all stored times are moved back
 * too; otherwise a gate would stay closed, and its rate used up, until the clock catches up.
 */
const head = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local names = {'t', 's', 'f', 'c', 'b', 'p', 'e', 'h', 'q', 'n', 'l', 'd', 'm', 'u', 'a', 'w', 'x', 'y', 'o', 'k', 'v'}
local function split(text)
  local words = {}
  for word in string.gmatch(text, '%S+') do words[#words + 1] = word end
  return words
end
local function goBack(passes, gate, ms)
  for _, name in ipairs({'s', 'c', 'e', 'q', 'd', 'w', 'x', 'o'}) do
    if gate[name] then gate[name] = gate[name] - ms end
  end
  for _, pass in ipairs(passes and redis.call('ZRANGE', passes, 0, -1) or {}) do
    redis.call('ZINCRBY', passes, -ms, pass)
  end
end
local function read(key, passes)
  local found, before, gate = redis.call('HMGET', key, unpack(names)), {}, {}
  for i, name in ipairs(names) do
    local value = found[i]
    if value and name ~= 'p' and name ~= 'a' then value = tonumber(value) end
    before[name], gate[name] = value or nil, value or nil
  end
  if gate.n and now < gate.n - 1000 then goBack(passes, gate, gate.n - now) end
  gate.n = now
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
  if passes then redis.call('PEXPIRE', passes, 7200000) end
end
local function limitOf(account, rate)
  return math.min(math.max(account.l or rate, rate * ${learning.floor}), rate * ${learning.ceiling})
end
local function slackOf(windowMs)
  return math.min(${windows.slackMs}, windowMs * ${windows.slackShareMax})
end
local function callsOf(windowMs, limit)
  return math.max(1, math.floor(limit * windowMs / 1000 + 0.5))
end
`;

/**
 * KEYS: hash, passes and account of each gate. ARGV: now, the spread of delayed operations, then one text of words per gate: calls per
 * second, burst, concurrent passes, life of a pass, length of the provider's windows (0: none), and a name for each requested pass. (Redis
 * and its client spend more on an argument than on a word.) Returns one number per entry: its share of the concurrent calls; or, below 0, the wait in ms times 4 plus the reason
 * (1 rate, 2 concurrency, 3 circuit open). Each refused entry gets its own time after the first possible one, at the pace at which passes
 * become free, so that they do not all return at once.
 *
 * The calls of a window are made before its last quarter second, so that a call that is late does not get into the next one. Until the
 * provider has told when a window ends, they are taken to follow the first call.
 */
export const enterScript = script(`${head}
local spread, answer = tonumber(ARGV[2]), {}
for k = 1, #KEYS, 3 do
  local key, passes, words = KEYS[k], KEYS[k + 1], split(ARGV[(k + 8) / 3])
  local rate, burst, most, life = tonumber(words[1]), tonumber(words[2]), tonumber(words[3]), tonumber(words[4])
  local windowMs = tonumber(words[5])
  local gate, before = read(key, passes)
  local account, accountBefore = read(KEYS[k + 2])
  redis.call('ZREMRANGEBYSCORE', passes, '-inf', now)
  local held, limit = redis.call('ZCARD', passes), limitOf(account, rate)
  local fast = windowMs > 0 and windowMs / (windowMs - slackOf(windowMs)) or 1
  local pace, hold, closed = math.max(1000 / (limit * fast), 1), math.max((gate.h or 200) / most, 1), gate.c or 0
  local function refilled(one)
    local more = math.max(0, now - (one.s or now)) * limit * fast / 1000
    local tokens = (one.t or burst) + more
    return math.min(burst, tokens), more, math.max(0, tokens - burst)
  end
  local own = refilled(gate)
  local common, more, lost = refilled(account)
  local entered, first = {}, #answer
  local function learn(calls)
    account.u = (account.u or 0) + calls
    local far = limit < (account.m or 0) * ${learning.mild} or account.u > ${learning.calmCalls}
    local step = rate * (far and ${learning.stepFar} or ${learning.stepNear})
    account.l = math.min(limit + step * calls, rate * ${learning.ceiling})
  end
  local inWindow = windowMs > 0 and callsOf(windowMs, limit) or math.huge
  if windowMs > 0 then
    if not account.o then account.o, account.k = now + slackOf(windowMs), 0 end
    local passed = math.floor((now - account.o) / windowMs)
    if passed == 1 and account.k >= inWindow then learn(inWindow) end
    if passed > 0 then account.o, account.k = account.o + passed * windowMs, math.max(0, account.k - passed * inWindow) end
  end
  local function refusal()
    if closed > now then return 3, closed, pace end
    if closed > 0 and (gate.e or 0) > now then return 3, now + (gate.h or 200), pace end
    if held >= most then return 2, now + hold, hold end
    local tokens, paused = math.min(own, common), math.max(now, account.c or 0)
    local from = paused + math.max(0, 1 - tokens) * pace
    if windowMs > 0 and account.k >= inWindow then from = math.max(from, account.o + windowMs) end
    if tokens < 1 or from > now then return 1, from, pace end
  end
  for i = 6, #words do
    local reason, from, step = refusal()
    if reason then
      local place = math.max(gate.q or 0, from)
      if place > from + spread then place = from end
      gate.q = place + step
      answer[#answer + 1] = -(math.max(1, math.ceil(place - now)) * 4 + reason)
    else
      local pass = words[i]
      held, own, common = held + 1, own - 1, common - 1
      if windowMs > 0 then account.k = account.k + 1 end
      entered[#entered + 1] = now + life
      entered[#entered + 1] = pass
      if closed > 0 then gate.p, gate.e = pass, now + life end
      answer[#answer + 1] = 0
    end
  end
  if #entered > 0 then
    gate.s, gate.t = math.max(now, gate.s or now), own
    account.s, account.t = math.max(now, account.s or now), common
    if windowMs == 0 and lost * 10 <= more and common < math.max(1, burst / 2) then learn(more - lost) end
    if (account.c or 0) <= now then account.c = nil end
    gate.a = KEYS[k + 2]
    redis.call('ZADD', passes, unpack(entered))
    local share = math.max(1, math.floor(most / held))
    for i = first + 1, #answer do if answer[i] == 0 then answer[i] = share end end
  end
  keep(key, passes, gate, before)
  keep(KEYS[k + 2], nil, account, accountBefore)
end
return answer`);

/**
 * KEYS: hash, passes and account of each gate. ARGV: now, consecutive sick verdicts that close a gate, first and longest closing, the
 * maximum debt of tokens as seconds of the rate; then one text of words per gate. When all exits are well and have made calls: calls per
 * second, length of the provider's windows, `well`, how long a pass was held on average, the total number of calls, how many of them count
 * for the account, and the passes. Otherwise: calls per second, length of the windows, `each`, and for each exit: pass, 1 if sick (2:
 * throttled), Retry-After in ms (0: none), how long the pass was held, the number of calls, how many count for the account, a random
 * number from 0 to 1.
 *
 * Each pass was paid for with one token. Calls beyond the first are charged as debt, and an operation that made no call gets its token
 * back; it says nothing about the destination, and if it was the probe, the next operation becomes the probe. A verdict counts once. A
 * verdict that arrives while the gate is closed, or half open and not from the probe, is about earlier calls and can only extend a
 * Retry-After.
 *
 * Calls that were admitted before the last decrease of the limit say nothing about the present one, so they do not decrease it again:
 * once per round trip. They do make the account wait.
 *
 * A wait that is no longer than a window ends with it, so the next window begins then. A window that is throttled when nearly all of its calls
 * were made was passed by little, however soon that happens again.
 *
 * A call that is throttled soon after another, or for a longer time, means that the provider cuts the destination. The cut goes on with the
 * next such call, unless calm has come between them.
 */
export const leaveScript = script(`${head}
local most, first, longest, owed = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
for k = 1, #KEYS, 3 do
  local key, passes, words = KEYS[k], KEYS[k + 1], split(ARGV[(k + 17) / 3])
  local gate, before = read(key, passes)
  local account, accountBefore = read(KEYS[k + 2])
  local rate, windowMs = tonumber(words[1]), tonumber(words[2])
  local function close(till, length, throttled)
    gate.c, gate.b = math.max(gate.c or 0, till), length
    gate.y = throttled and 1 or nil
    gate.p, gate.e, gate.f = nil, nil, nil
  end
  local function hear(sick, after, probe, random, throttled)
    if sick and after > 0 then
      close(now + after, gate.b or 0, throttled)
    elseif (gate.c or 0) > 0 and not probe then
      return
    elseif not sick then
      gate.f, gate.c, gate.b, gate.p, gate.e, gate.y = nil, nil, nil, nil, nil, nil
    else
      gate.f = (gate.f or 0) + 1
      if probe or gate.f >= most then
        local length = math.min(longest, math.max(first, (gate.b or 0) * 2))
        close(now + length * (1 + random / 4), length, throttled)
      end
    end
  end
  local function cut(till)
    if not gate.x or now > gate.x + ${cutting.calmMs} then gate.w, gate.x = now, now end
    gate.x = math.max(gate.x, till)
  end
  local function throttle(after, held)
    if after >= ${cutting.momentMs} then cut(now + after) end
    local till = now + math.min(after, ${learning.pauseMsMax})
    account.t, account.s = math.min(account.t or 0, 0), math.max(account.s or 0, till)
    account.c = math.max(account.c or 0, till)
    local limit = limitOf(account, rate)
    local passedByLittle = account.v and now < account.o + windowMs + slackOf(windowMs)
      and account.k >= callsOf(windowMs, limit) * ${windows.nearlyAll}
    if after > 0 and after <= windowMs then account.o, account.k, account.v = till, 0, 1 end
    if account.d and now - held <= account.d then return end
    local soon = account.d and (account.u or 0) < ${learning.soonCalls} and not passedByLittle
    if soon then cut(now + after) end
    account.m, account.d, account.u = limit, now, 0
    account.l = math.max(limit * (soon and ${learning.hard} or ${learning.mild}), rate * ${learning.floor})
  end
  local function charge(one, count, calls)
    if one.t then one.t = math.max(one.t - calls + count, -owed * rate) end
  end
  local function pay(count, calls, common, held)
    local past = 0.8 ^ count
    gate.h = math.floor((gate.h or 200) * past + held * (1 - past) + 0.5)
    charge(gate, count, calls)
    charge(account, count, common)
    if account.k then account.k = math.min(math.max(0, account.k + common - count), owed * rate) end
  end
  if words[3] == 'well' then
    local count = redis.call('ZREM', passes, unpack(words, 7))
    local probe = false
    for i = 7, #words do probe = probe or words[i] == gate.p end
    if count > 0 then
      local part = count / (#words - 6)
      pay(count, tonumber(words[5]) * part, tonumber(words[6]) * part, tonumber(words[4]))
      hear(false, 0, probe, 0)
    end
  else
    for i = 4, #words, 7 do
      local pass, calls = words[i], tonumber(words[i + 4])
      if redis.call('ZREM', passes, pass) == 1 then
        pay(1, calls, tonumber(words[i + 5]), tonumber(words[i + 3]))
        local sick, probe = words[i + 1] ~= '0', gate.p == pass
        local throttled = words[i + 1] == '2'
        if throttled and tonumber(words[i + 5]) > 0 then
          throttle(tonumber(words[i + 2]), tonumber(words[i + 3]))
        end
        if sick or calls > 0 then
          hear(sick, tonumber(words[i + 2]), probe, tonumber(words[i + 6]), throttled)
        elseif probe then
          gate.p, gate.e = nil, nil
        end
      end
    end
  end
  keep(key, passes, gate, before)
  keep(KEYS[k + 2], nil, account, accountBefore)
end
return 0`);
