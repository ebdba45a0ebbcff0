-- The address of wallet n, as world.ts makes it.
function address(n)
  return string.format("0x%08x%032x", (n * 2654435761) % 4294967296, n)
end
