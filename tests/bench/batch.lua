-- Sends a call of POST /trigger/batch: random wallets, an unused idempotency key each.
-- Arguments: seed, number of wallets, API key, point system, trigger, items a call.
dofile("report.lua")
dofile("wallets.lua")

local seed, wallets, items, head, before, item, sent

function init(args)
  seed = tonumber(args[1])
  math.randomseed(seed)
  wallets = tonumber(args[2])
  items = tonumber(args[6])
  sent = 0
  before = string.format('{"pointSystemId":"%s","items":[', args[4])
  item = string.format('{"triggerKey":"%s","idempotencyKey":"%%08x-%%04x-4000-8000-%%04x%%08x","walletAddress":"', args[5])
  head = "POST " .. wrk.path .. " HTTP/1.1\r\n"
    .. "Host: " .. wrk.host .. "\r\n"
    .. "Authorization: Bearer " .. args[3] .. "\r\n"
    .. "Content-Type: application/json\r\n"
    .. "Content-Length: "
end

function request()
  local parts = {}
  for n = 1, items do
    sent = sent + 1
    parts[n] = string.format(item, math.random(0, 4294967295), math.random(0, 65535), seed, sent)
      .. address(math.random(0, wallets - 1)) .. '"}'
  end
  local body = before .. table.concat(parts, ",") .. "]}"
  return head .. #body .. "\r\n\r\n" .. body
end
