import { expect, test } from "vitest";
import { getClientNetwork } from "../../app/domain/client-network";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["2001:db8:a:b:c:d:e:f", "2001:db8:a:b::/64"],
  ["2001:0DB8:000a:b::1", "2001:db8:a:b::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["", ""],
])("%j is counted as %j", (ip, network) => {
  expect(getClientNetwork(ip)).toBe(network);
});
