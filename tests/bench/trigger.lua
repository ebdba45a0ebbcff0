-- Sends a trigger call by POST: a random wallet, an unused Idempotency-Key.
-- Arguments: seed, number of wallets, API key, point system, trigger.
dofile("report.lua")
dofile("wallets.lua")

local seed, wallets, head, before, after
local sent = 0

function init(args)
  seed = tonumber(args[1])
  math.randomseed(seed)
  wallets = tonumber(args[2])
  before = string.format('{"triggerKey":"%s","walletAddress":"', args[5])
  after = string.format('","pointSystemId":"%s"}', args[4])
  head = "POST " .. wrk.path .. " HTTP/1.1\r\n"
    .. "Host: " .. wrk.host .. "\r\n"
    .. "Authorization: Bearer " .. args[3] .. "\r\n"
    .. "Content-Type: application/json\r\n"
    .. "Content-Length: " .. (#before + 42 + #after) .. "\r\n"
    .. "Idempotency-Key: "
end

function request()
  sent = sent + 1
  -- As scattered as the UUID that a client would send; seed and number make it unique.
  local key = string.format("%08x-%04x-4000-8000-%04x%08x",
    math.random(0, 4294967295), math.random(0, 65535), seed, sent)
  return head .. key .. "\r\n\r\n" .. before .. address(math.random(0, wallets - 1)) .. after
end
