//! The scripts that change a hash of unread counts, each in one step of Redis. `KEYS[1]` is the hash; versions are stamps
//! as text, microseconds. None of them makes a hash that was not there but [`FILL`], which a reader runs.

/// Moves a hash from one version to the next. `ARGV[1]` is the version before, `ARGV[2]` that after, `ARGV[3]` the most
/// that is counted, `ARGV[4]` the most fields. The rest are pairs of a field and the number that is added to it. What
/// is added was created after the version before. A hash of another version goes.
pub(super) const STEP: &str = "
local version = redis.call('HGET', KEYS[1], 'v')
if not version then return 0 end
if version ~= ARGV[1] then redis.call('DEL', KEYS[1]) return 0 end
local most = tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'v', ARGV[2])
if #ARGV > 4 and redis.call('HGET', KEYS[1], 'o') == '0' then redis.call('HSET', KEYS[1], 'o', ARGV[1]) end
for i = 5, #ARGV, 2 do
  local count = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or 0)
  if not count then redis.call('DEL', KEYS[1]) return 0 end
  redis.call('HSET', KEYS[1], ARGV[i], string.format('%d', math.min(count + tonumber(ARGV[i + 1]), most)))
end
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[4]) then redis.call('DEL', KEYS[1]) return 0 end
return 1";

/// Writes what was counted, unless the hash has a newer version: `ARGV[1]` milliseconds to live, then all fields with
/// their values, of which `ARGV[3]` is the version.
pub(super) const FILL: &str = "
local version = tonumber(redis.call('HGET', KEYS[1], 'v') or '')
if version and version > tonumber(ARGV[3]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1";

/// Notes that nothing was due up to a stamp of the log: `ARGV[1]` the version, `ARGV[2]` the stamp.
pub(super) const CONSIDERED: &str = "
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
local known = tonumber(redis.call('HGET', KEYS[1], 'p') or '')
if known and known >= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'p', ARGV[2])
return 1";

/// Deletes a hash of one version: `ARGV[1]`.
pub(super) const FORGET: &str = "
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])";
