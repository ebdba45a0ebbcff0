import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClientIpReader } from "../../app/server/client-ip";

const PROXY = "10.0.0.1";
const CLIENT = "192.0.2.7";
const read = createClientIpReader(["10.0.0.0/8", "fd00::/8", "172.16.0.5"]);

test("without trusted proxies the header says nothing", () => {
  const readDirect = createClientIpReader([]);
  expect(readDirect(CLIENT, "198.51.100.1")).toBe(CLIENT);
  expect(readDirect("127.0.0.1", "198.51.100.1")).toBe("127.0.0.1");
});

test("from a socket that is no trusted proxy's the header says nothing", () => {
  for (const header of ["198.51.100.1", "10.0.0.2", `${CLIENT}, 10.0.0.2`, "x", ""]) {
    expect(read(CLIENT, header)).toBe(CLIENT);
  }
});

test.each([
  ["one hop", PROXY, CLIENT, CLIENT],
  ["two trusted hops", PROXY, `${CLIENT}, 10.9.9.9`, CLIENT],
  ["what the client forged before them", PROXY, `198.51.100.1, ${CLIENT}, 10.9.9.9`, CLIENT],
  ["a forged trusted address behind the client", PROXY, `10.0.0.3, ${CLIENT}`, CLIENT],
  ["only trusted hops: the first of them", PROXY, "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["no header", PROXY, undefined, PROXY],
  ["an empty header", PROXY, "", PROXY],
  ["a single address that is trusted", "172.16.0.5", CLIENT, CLIENT],
  ["its neighbour, which is not", "172.16.0.6", CLIENT, "172.16.0.6"],
  ["a proxy in IPv6 notation", "::ffff:10.0.0.1", `::ffff:${CLIENT}`, CLIENT],
  ["an IPv6 proxy and client", "fd00::1", "2001:db8::7", "2001:db8::7"],
  ["brackets", PROXY, "[2001:db8::7]", "2001:db8::7"],
  ["brackets and a port", PROXY, "[2001:db8::7]:4711", "2001:db8::7"],
  ["IPv4 with a port", PROXY, `${CLIENT}:4711`, CLIENT],
  ["a proxy's address with a port", PROXY, `${CLIENT}, 10.0.0.2:80`, CLIENT],
  ["IPv6 in upper case", PROXY, "2001:DB8::0007", "2001:db8::7"],
  ["spaces and tabs", PROXY, ` ${CLIENT}\t,\t10.0.0.2 `, CLIENT],
])("%s", (_what, socketIp, header, client) => {
  expect(read(socketIp, header)).toBe(client);
});

test.each([
  "unknown",
  "_hidden",
  "",
  "010.0.0.2",
  "0x0a000002",
  "10.2",
  "10.0.0.256",
  "fe80::1%eth0",
  "[10.0.0.2]",
  "[2001:db8::1",
  "2001:db8::1]",
  "[2001:db8::1]:x",
  "10.0.0.2:port",
  "10.0.0.2/8",
  "example.com",
  '"10.0.0.2"',
])("the entry %j ends the walk at the proxy that wrote it", (entry) => {
  expect(read(PROXY, `${CLIENT}, ${entry}`)).toBe(PROXY);
  expect(read(PROXY, `${CLIENT}, ${entry}, 10.9.9.9`)).toBe("10.9.9.9");
});

describe("ranges", () => {
  test("of IPv4 in IPv6 notation are IPv4's", () => {
    const readMapped = createClientIpReader(["::ffff:10.0.0.0/104"]);
    expect(readMapped("10.1.1.1", CLIENT)).toBe(CLIENT);
    expect(readMapped("11.1.1.1", CLIENT)).toBe("11.1.1.1");
  });

  test("that are too wide for that trust nobody", () => {
    const readWide = createClientIpReader(["::ffff:10.0.0.0/8"]);
    expect(readWide("192.0.2.1", CLIENT)).toBe("192.0.2.1");
  });

  test("of one kind do not hold for the other", () => {
    expect(createClientIpReader(["0.0.0.0/0"])("fd00::1", CLIENT)).toBe("fd00::1");
    expect(createClientIpReader(["::/0"])(PROXY, CLIENT)).toBe(PROXY);
  });
});

test("whatever a client sends before it, the address that the first trusted proxy saw is answered", () => {
  const trusted = fc.ipV4().map((ip) => ip.replace(/^\d+/, "10"));
  const untrusted = fc.ipV4().filter((ip) => !ip.startsWith("10.") && ip !== "172.16.0.5");
  const forged = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 5 });
  fc.assert(
    fc.property(
      forged,
      untrusted,
      fc.array(trusted, { maxLength: 4 }),
      trusted,
      (lies, client, hops, socketIp) => {
        expect(read(socketIp, [...lies, client, ...hops].join(", "))).toBe(client);
      },
    ),
  );
});
