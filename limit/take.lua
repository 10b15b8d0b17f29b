-- Counts requests in one or more windows, or in none of them when one is full.
-- KEYS: the windows. ARGV: the length of a window in milliseconds, then for each
-- key how many requests to count and how many its window takes.
-- Returns the milliseconds until all of them fit, 0 if they do; which key fits last; and
-- how many requests are left in its window.
local length, wait, last, remaining = tonumber(ARGV[1]), 0, 1, 0
for i, key in ipairs(KEYS) do
  local count, limit = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local counted = tonumber(redis.call('GET', key) or 0)
  if counted + count > limit then
    local left = redis.call('PTTL', key)
    if left < 0 then -- no window yet, or a counter that somebody made last
      redis.call('PEXPIRE', key, length)
      left = length
    end
    if math.max(left, 1) > wait then
      wait, last, remaining = math.max(left, 1), i, limit - counted
    end
  end
end
if wait > 0 then
  return {wait, last, remaining}
end
for i, key in ipairs(KEYS) do
  redis.call('INCRBY', key, ARGV[2 * i])
  if redis.call('PTTL', key) < 0 then
    redis.call('PEXPIRE', key, length)
  end
end
return {0, 1, 0}
