import { MOST_SESSIONS } from '../store.js';
import { UNDER_WAY } from './keys.js';

/**
 * The store's atomic steps in Lua. A token that isn't in the set of active tokens is unknown: a Redis that evicts keys could
 * drop the set, which only revocation needs, and keep the token. All keys of an account share the hash tag {account id}, so that every script also
 * runs on a Redis Cluster. The scripts use the clock of Redis, so the clocks of gateways don't matter. The arithmetic is
 * that of gcra.ts and limits.ts.
 */

const NOW = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
`;

const GCRA = `
local function gcra(tat, per_minute, burst, cost)
  local interval = 60000000 / per_minute
  local before = math.max(now, tat)
  local after = math.max(now, before + math.min(cost, burst) * interval)
  local wait = after - burst * interval - now
  if wait > 0 then return false, before, before - now, wait end
  return true, after, after - now, 0
end
`;

/**
 * KEYS: token, policy, usage of the limits of account, application and token (their calls in progress have the same keys
 * with the suffix UNDER_WAY), set of active tokens. ARGV: cost, call id, lease ms, digest. Returns nil for an unknown token, otherwise {allowed, its
 * value, policy JSON, limit 1–3, kind 1–3, used, wait µs} with the reported limit and kind in the order of LIMIT_NAMES and
 * LIMIT_KINDS. Reads every limit first, and charges only if none rejects the call. Usage never exceeds one burst, so a
 * raised rate takes effect immediately. A limit in the policy is "perMinute burst perDay concurrent" (0 = not limited,
 * '' = no limit), its usage "tat-µs day calls-of-that-day".
 */
export const ADMIT = `
local expires = redis.call('GET', KEYS[1])
if not expires or not redis.call('ZSCORE', KEYS[6], ARGV[4]) then return false end
local policy = redis.call('HMGET', KEYS[2], 'account', 'application', 'token', 'json')
if not policy[4] then return false end
local cost, call_id, lease = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
${NOW}${GCRA}
local today = math.floor(now / 86400000000)
local until_midnight = (today + 1) * 86400000000 - now
local rank, limit, kind, used, wait = -1, 0, 0, 0, 0
local function consider(new_rank, new_limit, new_kind, new_used, new_wait)
  if new_rank > rank then rank, limit, kind, used, wait = new_rank, new_limit, new_kind, new_used, new_wait end
end
local charges, places = {}, {}
for i = 1, 3 do
  if policy[i] and policy[i] ~= '' then
    local per_minute, burst, per_day, concurrent = string.match(policy[i], '(%S+) (%S+) (%S+) (%S+)')
    per_minute, burst, per_day, concurrent = tonumber(per_minute), tonumber(burst), tonumber(per_day), tonumber(concurrent)
    local tat, day, calls = 0, 0, 0
    local kept = redis.call('GET', KEYS[2 + i])
    if kept then
      tat, day, calls = string.match(kept, '(%d+) (%d+) (%d+)')
      tat, day, calls = tonumber(tat), tonumber(day), tonumber(calls)
      local full = now + burst * 60000000 / per_minute
      if tat > full then
        tat = full
        redis.call('SET', KEYS[2 + i], string.format('%.0f %d %d', tat, day, calls), 'KEEPTTL')
      end
    end
    local fits, new_tat, used_us, wait_us = gcra(tat, per_minute, burst, cost)
    consider(fits and used_us * per_minute / (60000000 * burst) or 2 + wait_us, i, 1, used_us, wait_us)
    local life = new_tat - now
    if per_day > 0 then
      if day ~= today then day, calls = today, 0 end
      local after = calls + math.min(cost, per_day)
      if after <= per_day then consider(after / per_day, i, 2, after, until_midnight)
      else consider(2 + until_midnight, i, 2, calls, until_midnight) end
      calls = after
      life = math.max(life, until_midnight)
    end
    charges[#charges + 1] = {KEYS[2 + i], string.format('%.0f %d %d', new_tat, day, calls), math.ceil(life / 1000) + 1}
    if concurrent > 0 then
      local under_way = KEYS[2 + i] .. '${UNDER_WAY}'
      redis.call('ZREMRANGEBYSCORE', under_way, '-inf', string.format('%.0f', now / 1000))
      local busy = redis.call('ZCARD', under_way)
      if busy >= concurrent then consider(2 + 1000000, i, 3, busy, 1000000) end
      places[#places + 1] = under_way
    end
  end
end
local allowed = 0
if rank < 2 then
  allowed = 1
  for _, charge in ipairs(charges) do redis.call('SET', charge[1], charge[2], 'PX', charge[3]) end
  for _, key in ipairs(places) do
    redis.call('ZADD', key, string.format('%.0f', now / 1000 + lease), call_id)
    redis.call('PEXPIRE', key, lease)
  end
end
return {allowed, expires, policy[4], limit, kind, string.format('%.0f', used), string.format('%.0f', wait)}
`;

/** KEYS: calls in progress of account, application and token. ARGV: call id. Returns 1. */
export const RELEASE = `
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end
return 1
`;

/** KEYS: limit. ARGV: perMinute, burst, cost. Returns {allowed, used µs, wait µs}. Usage never exceeds one burst, as in ADMIT. */
export const TAKE = `${NOW}${GCRA}
local kept = tonumber(redis.call('GET', KEYS[1]) or 0)
local full = now + tonumber(ARGV[2]) * 60000000 / tonumber(ARGV[1])
if kept > full then
  kept = full
  redis.call('SET', KEYS[1], string.format('%.0f', kept), 'KEEPTTL')
end
local fits, tat, used, wait = gcra(kept, tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
if fits then redis.call('SET', KEYS[1], string.format('%.0f', tat), 'PX', math.ceil((tat - now) / 1000) + 1) end
return {fits and 1 or 0, string.format('%.0f', used), string.format('%.0f', wait)}
`;

/** KEYS: token, policy, set of active tokens. ARGV: digest. Returns nil for an unknown token, otherwise {its value, policy JSON}. */
export const INSPECT = `
local expires = redis.call('ZSCORE', KEYS[3], ARGV[1]) and redis.call('GET', KEYS[1])
local json = redis.call('HGET', KEYS[2], 'json')
if not expires or not json then return false end
return {expires, json}
`;

/**
 * KEYS: token, policy, set of active tokens. ARGV: lifetime ms, maximum of active tokens, prefix of token keys, digest,
 * secret id (empty = none), then the policy's fields and values. Returns 1. The value of a token is "expiry-ms secret-id",
 * or "expiry-ms" without a secret.
 */
export const SAVE_TOKEN = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local expires = now + tonumber(ARGV[1])
local secret = ARGV[5] == '' and '' or ' ' .. ARGV[5]
redis.call('SET', KEYS[1], string.format('%.0f', expires) .. secret, 'PX', ARGV[1])
redis.call('HSET', KEYS[2], unpack(ARGV, 6))
redis.call('PEXPIRE', KEYS[2], ARGV[1] + 60000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
redis.call('ZADD', KEYS[3], string.format('%.0f', expires), ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[1] + 60000)
local excess = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[2])
if excess > 0 then
  for _, digest in ipairs(redis.call('ZRANGE', KEYS[3], 0, excess - 1)) do redis.call('DEL', ARGV[3] .. digest) end
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, excess - 1)
end
return 1
`;

/** KEYS: policy. ARGV: its fields and values. Returns 1. Does nothing if the application has no active tokens. */
export const SAVE_POLICY = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
return 1
`;

/** KEYS: token, set of active tokens. ARGV: digest. Returns 1 if it was active, otherwise 0. */
export const REVOKE = `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

/**
 * KEYS: session, list. ARGV: JSON (empty: only renew the stored session), digest, idle ms, prefix of session keys. Returns
 * the session's JSON or nil. The list must outlive the longest of its sessions, because REVOKE_ALL ends only those in it.
 * Beyond MOST_SESSIONS, those that would expire first end.
 */
export const KEEP_SESSION = `
local now = redis.call('TIME')
local nowMs = now[1] * 1000 + math.floor(now[2] / 1000)
local json = ARGV[1]
if json == '' then json = redis.call('GET', KEYS[1]) end
if not json then return nil end
redis.call('SET', KEYS[1], json, 'PX', ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', nowMs)
redis.call('ZADD', KEYS[2], nowMs + ARGV[3], ARGV[2])
redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[2]), ARGV[3]))
local excess = redis.call('ZCARD', KEYS[2]) - ${MOST_SESSIONS}
if excess > 0 then
  for _, digest in ipairs(redis.call('ZRANGE', KEYS[2], 0, excess)) do
    if excess > 0 and digest ~= ARGV[2] then
      redis.call('DEL', ARGV[4] .. digest)
      redis.call('ZREM', KEYS[2], digest)
      excess = excess - 1
    end
  end
end
return json
`;

/**
 * KEYS: set of active tokens. ARGV: prefix of token keys, secret id. Returns how many were active. With a secret id, the
 * tokens of other secrets stay, and those without a secret don't.
 */
export const REVOKE_ALL = `
local count = 0
for _, digest in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local key = ARGV[1] .. digest
  local secret = ARGV[2] ~= '' and string.match(redis.call('GET', key) or '', ' (%S+)$')
  if not secret or secret == ARGV[2] then
    count = count + redis.call('DEL', key)
    redis.call('ZREM', KEYS[1], digest)
  end
end
return count
`;

/** KEYS: board. ARGV: mark, milliseconds, … Returns {mark, expiry ms, milliseconds left, …} of all active marks. */
export const MARK = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for i = 1, #ARGV, 2 do
  local ends = now + math.ceil(tonumber(ARGV[i + 1]))
  if ends > tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or 0) then redis.call('HSET', KEYS[1], ARGV[i], string.format('%.0f', ends)) end
end
local live = {}
local longest = 0
local marks = redis.call('HGETALL', KEYS[1])
for i = 1, #marks, 2 do
  local left = tonumber(marks[i + 1]) - now
  if left > 0 then
    longest = math.max(longest, left)
    live[#live + 1] = marks[i]
    live[#live + 1] = marks[i + 1]
    live[#live + 1] = string.format('%.0f', left)
  else redis.call('HDEL', KEYS[1], marks[i]) end
end
if longest > 0 then redis.call('PEXPIRE', KEYS[1], longest) end
return live
`;
