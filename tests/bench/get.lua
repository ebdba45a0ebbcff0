-- Sends a keyed GET of the given path. With wallets, each call adds `&address=` of a random one.
-- Arguments: seed, number of wallets (0: none), API key.
dofile("report.lua")
dofile("wallets.lua")

local wallets, start, finish

function init(args)
  math.randomseed(tonumber(args[1]))
  wallets = tonumber(args[2])
  start = "GET " .. wrk.path
  finish = " HTTP/1.1\r\n"
    .. "Host: " .. wrk.host .. "\r\n"
    .. "Authorization: Bearer " .. args[3] .. "\r\n\r\n"
end

function request()
  if wallets == 0 then return start .. finish end
  return start .. "&address=" .. address(math.random(0, wallets - 1)) .. finish
end
