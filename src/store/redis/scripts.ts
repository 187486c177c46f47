/**
 * The store's atomic steps in Lua. All keys of an application share the hash tag {application id}, so that every script also runs on a
 * Redis Cluster. Redis' own clock is used: gateways need not agree on the time.
 */

const GCRA = `
local function gcra(key, per_minute, burst, cost)
  local t = redis.call('TIME')
  local now = t[1] * 1000000 + t[2]
  local interval = 60000000 / per_minute
  local before = math.max(now, tonumber(redis.call('GET', key) or 0))
  local after = before + cost * interval
  local wait = after - burst * interval - now
  if wait <= 0 then
    redis.call('SET', key, string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
    return 1, after - now, 0
  end
  return 0, before - now, wait
end
`;

/** KEYS token, policy, limit; ARGV cost → nil for an unknown token, else {allowed, expiry ms, policy JSON, used µs, wait µs}. */
export const ADMIT = `${GCRA}
local expires = redis.call('GET', KEYS[1])
if not expires then return false end
local policy = redis.call('HMGET', KEYS[2], 'perMinute', 'burst', 'json')
if not policy[3] then return false end
local allowed, used, wait = gcra(KEYS[3], tonumber(policy[1]), tonumber(policy[2]), tonumber(ARGV[1]))
return {allowed, expires, policy[3], string.format('%.0f', used), string.format('%.0f', wait)}
`;

/** KEYS limit; ARGV perMinute, burst, cost → {allowed, used µs, wait µs}. */
export const TAKE = `${GCRA}
local allowed, used, wait = gcra(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
return {allowed, string.format('%.0f', used), string.format('%.0f', wait)}
`;

/** KEYS token, policy, live set; ARGV lifetime ms, policy JSON, perMinute, burst, max live, token key prefix, digest → 1. */
export const SAVE_TOKEN = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local expires = now + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.0f', expires), 'PX', ARGV[1])
redis.call('HSET', KEYS[2], 'json', ARGV[2], 'perMinute', ARGV[3], 'burst', ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[1] + 60000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
redis.call('ZADD', KEYS[3], string.format('%.0f', expires), ARGV[7])
redis.call('PEXPIRE', KEYS[3], ARGV[1] + 60000)
local excess = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[5])
if excess > 0 then
  for _, digest in ipairs(redis.call('ZRANGE', KEYS[3], 0, excess - 1)) do redis.call('DEL', ARGV[6] .. digest) end
  redis.call('ZREMRANGEBYRANK', KEYS[3], 0, excess - 1)
end
return 1
`;

/** KEYS policy; ARGV policy JSON, perMinute, burst → 1. Only where the application has live tokens. */
export const SAVE_POLICY = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'json', ARGV[1], 'perMinute', ARGV[2], 'burst', ARGV[3]) end
return 1
`;

/** KEYS token, policy → nil for an unknown token, else {expiry ms, policy JSON}. */
export const INSPECT = `
local expires = redis.call('GET', KEYS[1])
local json = redis.call('HGET', KEYS[2], 'json')
if not expires or not json then return false end
return {expires, json}
`;

/** KEYS token, live set; ARGV digest → 1 when it was live. */
export const REVOKE = `
redis.call('ZREM', KEYS[2], ARGV[1])
return redis.call('DEL', KEYS[1])
`;

/** KEYS live set; ARGV token key prefix → how many were live. */
export const REVOKE_ALL = `
local count = 0
for _, digest in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do count = count + redis.call('DEL', ARGV[1] .. digest) end
redis.call('DEL', KEYS[1])
return count
`;
