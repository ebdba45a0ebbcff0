-- Returns the address of wallet n, as world.ts computes it.
function address(n)
  -- In two halves: the product of millions is more than a number holds exactly.
  local low = (n % 65536) * 2654435761
  local high = (math.floor(n / 65536) * 2654435761) % 65536 * 65536
  return string.format("0x%08x%032x", (low + high) % 4294967296, n)
end
