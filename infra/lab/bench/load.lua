-- For wrk: sends random ranges if the environment says so, and prints the result on one line.
local bytes = tonumber(os.getenv("RANGE_BYTES") or "")
local size = tonumber(os.getenv("FILE_BYTES") or "")

if bytes then
  function init()
    math.randomseed(1)
  end

  function request()
    local first = math.random(0, size - bytes)
    wrk.headers["Range"] = "bytes=" .. first .. "-" .. (first + bytes - 1)
    return wrk.format("GET")
  end
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("RESULT %d %d %d %d\n", summary.requests, summary.bytes, summary.duration, failed))
end
