-- Something of everything: tables, strings, patterns, closures, metatables, coroutines, errors, numbers, a collection.
local list, words, counters, threads = {}, {}, {}, {}

local Point = {}
Point.__index = Point
Point.__add = function(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, Point) end
Point.__tostring = function(p) return string.format("(%d, %.3f)", p.x, p.y) end
local sum = setmetatable({x = 0, y = 0.5}, Point)

local function counter(start)
  return function() start = start + 1; return start end
end

local kinds = {
  function(n) list[#list + 1] = n * n % 97; table.sort(list); return table.concat(list, " ", 1, math.min(#list, 8)) end,
  function(n) words["key " .. n % 13] = ("x"):rep(n % 7) .. n; local keys = {}
    for key in pairs(words) do keys[#keys + 1] = key end
    table.sort(keys); return table.concat(keys, ","):upper() end,
  function(n) sum = sum + setmetatable({x = n, y = 1 / n}, Point); return tostring(sum) end,
  function(n) local i = n % 5; counters[i] = counters[i] or counter(n); return tostring(counters[i]()) end,
  function(n) local i = n % 3
    if not threads[i] or coroutine.status(threads[i]) == "dead" then
      threads[i] = coroutine.create(function(a) for k = 1, 4 do a = a + coroutine.yield(a * k) end return "end" end)
    end
    local _, value = coroutine.resume(threads[i], n); return tostring(value) end,
  function(n) local ok, message = pcall(function() if n % 2 == 0 then error({code = n}) end error("odd " .. n) end)
    return tostring(ok) .. (type(message) == "table" and message.code or message) end,
  function(n) return (("the number " .. n .. " and 0x10"):gsub("(%w+)", function(w) return tonumber(w) and "<" .. w .. ">" end)) end,
  function(n) if #list > 40 then list = {} end; collectgarbage(); return math.type(n) .. utf8.char(0x4f60 + n % 50) end,
  function(n) return string.format("%q %5.2f %x %s", "a\0b", math.sin(n), n, n // 3 | 1 << n % 8) end,
  function(n) local t = table.pack(string.unpack("<i4", string.pack("<i4", n))); return t[1] .. "/" .. t.n end,
}

function step(n) return kinds[n % #kinds + 1](n) end
