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

/** A large search may need the room of thousands of small ones. Meanwhile, Redis answers nothing else. */
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
  if redis.call('ZREM', KEYS[1], member) == 0 then return end
  local bytes = tonumber(string.match(member, '%d+$'))
  used = used - bytes
  redis.call('ZINCRBY', KEYS[3], -bytes, string.match(member, '{(.-)}'))
end
local function close()
  redis.call('SET', KEYS[2], string.format('%.0f', used), 'PX', ${LIST_MS})
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', 0)
  redis.call('PEXPIRE', KEYS[1], ${LIST_MS})
  redis.call('PEXPIRE', KEYS[3], ${LIST_MS})
end
`;

/** KEYS: list of all searches, their bytes, those of each account. ARGV: members that were dropped, 200 at most. Returns 1. */
export const FORGET_PAGES = `${LEAVE}
for _, member in ipairs(ARGV) do leave(member) end
close()
return 1
`;

/**
 * KEYS: list of all searches, their bytes, those of each account. ARGV: member, bytes, lifetime ms, budget, an account that has none to drop
 * (empty = none), then members that were dropped, 200 at most. Returns nothing if the new one is counted. If it doesn't fit, returns the account
 * that would keep the most, and how many bytes it has to drop.
 */
export const COUNT_PAGES = `${NOW}${LEAVE}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1000)) do leave(member) end
for i = 6, #ARGV do leave(ARGV[i]) end
redis.call('ZREM', KEYS[3], ARGV[5])
local own = string.match(ARGV[1], '{(.-)}')
local missing = used + ARGV[2] - tonumber(ARGV[4])
local answer = {}
if missing > 0 then
  local after = ARGV[2] + tonumber(redis.call('ZSCORE', KEYS[3], own) or 0)
  local most = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  local other = tonumber(most[2] or 0)
  if other > after and most[1] ~= own then
    answer = {most[1], string.format('%.0f', math.min(missing, other - after))}
  else
    answer = {own, string.format('%.0f', missing)}
  end
else
  used = used + ARGV[2]
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
  redis.call('ZINCRBY', KEYS[3], ARGV[2], own)
end
close()
return answer
`;

/**
 * KEYS: list of the account, its bytes. ARGV: bytes. Drops searches of the account, those that expire first, until that many bytes are freed, 200
 * at most. Returns the members of those that were dropped; none if it has none.
 */
export const RELIEVE_PAGES = `
local freed = 0
local dropped = {}
while freed < tonumber(ARGV[1]) and #dropped < ${MOST_DROPPED} do
  local member = redis.call('ZPOPMIN', KEYS[1])[1]
  if not member then break end
  redis.call('UNLINK', string.match(member, '^(.*) %d+$'))
  freed = freed + tonumber(string.match(member, '%d+$'))
  dropped[#dropped + 1] = member
end
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('DECRBY', KEYS[2], string.format('%.0f', freed)) end
return dropped
`;
