/**
 * The steps of kept searches in Lua. The keys of an account's searches share its hash tag; the count of all searches
 * has a tag of its own, so it is a step of its own. A member of a list is "key bytes", its score the expiry in milliseconds.
 */

const NOW = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/** A count of an account's bytes is made again after this time, in case another version of the gateway didn't keep it. */
const RECOUNT_MS = 600_000;

/** A large search may need the room of thousands of small ones. Meanwhile, Redis answers no one. */
const MOST_DROPPED = 200;

/**
 * KEYS: parts of the search, list of the account, its bytes. ARGV: member, bytes, lifetime ms, budget, then fields and values. Drops those of
 * the account that expire first, or have, until the new one fits, 200 at most. Returns whether it fits (1 or 0), and the members of those
 * that were dropped. Keeps nothing if it doesn't fit, or without fields. The list may have thousands: it is read only to count it again.
 */
export const SAVE_PAGES = `${NOW}
local used = tonumber(redis.call('GET', KEYS[3]) or '')
if not used then
  used = 0
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do used = used + tonumber(string.match(member, '%d+$')) end
  redis.call('SET', KEYS[3], string.format('%.0f', used), 'PX', ${RECOUNT_MS})
end
local freed = 0
local dropped = {}
local fits = true
while used - freed + ARGV[2] > tonumber(ARGV[4]) do
  fits = #dropped < ${MOST_DROPPED}
  if not fits then break end
  local member = redis.call('ZPOPMIN', KEYS[2])[1]
  if not member then
    -- The list expired.
    freed = used
    break
  end
  redis.call('UNLINK', string.match(member, '^(.*) %d+$'))
  freed = freed + tonumber(string.match(member, '%d+$'))
  dropped[#dropped + 1] = member
end
if not fits or #ARGV < 5 then
  redis.call('DECRBY', KEYS[3], string.format('%.0f', freed))
  return {fits and 1 or 0, dropped}
end
for i = 5, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('INCRBY', KEYS[3], string.format('%.0f', ARGV[2] - freed))
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[2], last[2])
return {1, dropped}
`;

/** KEYS: parts of the search, list of the account, its bytes. ARGV: member, bytes. Returns 1. */
export const DROP_PAGES = `
redis.call('UNLINK', KEYS[1])
if redis.call('ZREM', KEYS[2], ARGV[1]) == 1 and redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('DECRBY', KEYS[3], ARGV[2])
end
return 1
`;

/** The longest lifetime of an offer (search.offerTtlSeconds), and some time. */
const LIST_MS = 2 * 3_600_000;

const LEAVE = `
local used = tonumber(redis.call('GET', KEYS[2]) or 0)
local function leave(member)
  if redis.call('ZREM', KEYS[1], member) == 1 then used = used - tonumber(string.match(member, '%d+$')) end
end
`;

/** KEYS: list of all searches, their bytes. ARGV: members that were dropped, 200 at most. Returns 1. */
export const FORGET_PAGES = `${LEAVE}
for _, member in ipairs(ARGV) do leave(member) end
redis.call('SET', KEYS[2], string.format('%.0f', used), 'PX', ${LIST_MS})
return 1
`;

/**
 * KEYS: list of all searches, their bytes. ARGV: member, bytes, lifetime ms, budget, then members that were dropped, 200 at most. Returns 1,
 * or 0 if the new one doesn't fit.
 */
export const COUNT_PAGES = `${NOW}${LEAVE}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1000)) do leave(member) end
for i = 5, #ARGV do leave(ARGV[i]) end
local fits = used + ARGV[2] <= tonumber(ARGV[4])
if fits then
  used = used + ARGV[2]
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
end
redis.call('SET', KEYS[2], string.format('%.0f', used), 'PX', ${LIST_MS})
redis.call('PEXPIRE', KEYS[1], ${LIST_MS})
return fits and 1 or 0
`;
