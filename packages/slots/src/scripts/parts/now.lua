-- The time of Redis, in microseconds and in milliseconds since 1970.
local time = redis.call('TIME')
local nowMicroseconds = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(nowMicroseconds / 1000)
