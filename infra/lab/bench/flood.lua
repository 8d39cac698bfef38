-- For wrk: asks for FLOOD_PATH, with %d replaced by a number that grows, or posts FLOOD_BODY there, and prints how many
-- requests were answered with which status on one line. With FLOOD_PATHS, one a line, these are asked for in turn. With
-- FLOOD_HOSTS each request has another Host.
local path = os.getenv("FLOOD_PATH")
local body = os.getenv("FLOOD_BODY")
local hosts = os.getenv("FLOOD_HOSTS") == "1"
local asked = 0
local paths = {}
for line in string.gmatch(os.getenv("FLOOD_PATHS") or "", "[^\n]+") do
  table.insert(paths, line)
end

function request()
  asked = asked + 1
  local address = paths[asked % math.max(1, #paths) + 1] or string.gsub(path, "%%d", asked)
  if hosts then
    wrk.headers["Host"] = "h" .. asked .. ".example"
  end
  if not body or body == "" then
    return wrk.format("GET", address)
  end
  return wrk.format("POST", address, { ["content-type"] = "application/json" }, body)
end

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

good = 0
refused = 0
failed = 0

function response(status)
  if status < 400 then
    good = good + 1
  elseif status < 500 then
    refused = refused + 1
  else
    failed = failed + 1
  end
end

function done(summary)
  local sums = { good = 0, refused = 0, failed = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(sums) do
      sums[name] = sums[name] + (thread:get(name) or 0)
    end
  end
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("FLOOD %d %d %d %d\n", sums.good, sums.refused, sums.failed, broken))
end
