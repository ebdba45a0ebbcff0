import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isEnsConfigured, loadEnsLookup, openEns } from "../../../app/chain/ens/ens";
import type { GuardedFetch } from "../../../app/chain/ens/guarded-fetch";
import { type FakeEns, startFakeEns } from "../../support/fakes/ens-rpc";

const ALICE = "0x00000000000000000000000000000000000a11ce";
const BOB = "0x0000000000000000000000000000000000000b0b";
let ens: FakeEns;
let gatewayCalls: string[];

const refuseGateways: GuardedFetch = async ({ url }) => {
  gatewayCalls.push(url);
  throw new Error("Not public");
};

beforeAll(async () => {
  ens = await startFakeEns({
    "alice.eth": "0x00000000000000000000000000000000000A11cE",
    "faß.eth": ALICE,
    "zero.eth": "0x0000000000000000000000000000000000000000",
    "away.eth": "offchain",
  });
});
afterAll(() => ens.stop());
beforeEach(() => {
  ens.mode = "answers";
  ens.calls.length = 0;
  ens.primaryNames.clear();
  gatewayCalls = [];
  openEns({ rpcUrls: [ens.url], fetchFromGateway: refuseGateways });
});

const findAddress = async (name: string) => (await loadEnsLookup()).findAddress(name);
const findPrimaryName = async (address: `0x${string}`) =>
  (await loadEnsLookup()).findPrimaryName(address);

describe("a name", () => {
  test.each([
    ["ALICE.eth", "alice.eth"],
    ["Faß.ETH", "faß.eth"],
    ["a.b.c.xyz", "a.b.c.xyz"],
    [
      "0x00000000000000000000000000000000000a11ce.eth",
      "0x00000000000000000000000000000000000a11ce.eth",
    ],
  ])("%s is written %s", async (text, name) => {
    expect((await loadEnsLookup()).normalizeName(text)).toBe(name);
  });

  test.each([
    "alice",
    "",
    ".",
    ".eth",
    "alice.",
    "a..eth",
    "al ice.eth",
    " alice.eth",
    "al_ice.eth",
    "alice.eth\u0000",
    "alice.eth/",
    "http://alice.eth",
    "аlice.eth", // Cyrillic а among Latin letters
    `${"a".repeat(300)}.eth`,
  ])("%j is none", async (text) => {
    expect((await loadEnsLookup()).normalizeName(text)).toBeNull();
  });
});

describe("the address of a name", () => {
  test.each(["alice.eth", "faß.eth"])("%s is in lower case", async (name) => {
    expect(await findAddress(name)).toBe(ALICE);
  });

  test.each(["nobody.eth", "zero.eth"])("%s has none", async (name) => {
    expect(await findAddress(name)).toBeNull();
    expect(ens.calls).toEqual([name]);
  });

  test.each(["fails", "hangs"] as const)("is not known from an endpoint that %s", async (mode) => {
    ens.mode = mode;
    await expect(findAddress("alice.eth")).rejects.toThrow("The ENS endpoint failed");
  });

  test("a gateway that is not called is no statement about the name", async () => {
    await expect(findAddress("away.eth")).rejects.toThrow("The ENS endpoint failed");
    expect(gatewayCalls).toEqual([`${ens.url}/gateway`]);
  });
});

describe("the name of an address", () => {
  test("is the one that it chose, when that resolves to it", async () => {
    ens.primaryNames.set(ALICE, "alice.eth");
    expect(await findPrimaryName(ALICE)).toBe("alice.eth");
  });

  test("is none when it chose none", async () => {
    expect(await findPrimaryName(ALICE)).toBeNull();
  });

  test.each([
    ["alice.eth", "is somebody else's"],
    ["nobody.eth", "has no address"],
    ["ALICE.eth", "is not normalized"],
    ["alice", "is no name"],
    ["<script>.eth", "cannot be one"],
  ])("is none when the chosen one, %s, %s", async (name) => {
    ens.primaryNames.set(BOB, name);
    expect(await findPrimaryName(BOB)).toBeNull();
  });
});

describe("several endpoints", () => {
  test.each(["fails", "hangs"] as const)("the next one answers for one that %s", async (mode) => {
    const broken = await startFakeEns({});
    broken.mode = mode;
    openEns({ rpcUrls: [broken.url, ens.url] });
    try {
      expect(await findAddress("alice.eth")).toBe(ALICE);
      expect(broken.calls).toEqual(["alice.eth"]);
    } finally {
      await broken.stop();
    }
  });

  test("what the first one says holds", async () => {
    openEns({ rpcUrls: [ens.url, "http://127.0.0.1:1"] });
    expect(await findAddress("nobody.eth")).toBeNull();
  });

  test("none of them sends the server to a gateway that another one has been to", async () => {
    openEns({ rpcUrls: [ens.url, ens.url], fetchFromGateway: refuseGateways });
    await expect(findAddress("away.eth")).rejects.toThrow();
    expect(gatewayCalls).toHaveLength(1);
  });
});

test("what a log may get of a failure does not name the endpoint", async () => {
  const { hostname, port } = new URL(ens.url);
  for (const mode of ["fails", "hangs"] as const) {
    ens.mode = mode;
    const error = (await findAddress("alice.eth").catch((thrown: unknown) => thrown)) as Error;
    expect(error.stack).toContain("The ENS endpoint failed");
    expect(error.stack).not.toContain(`${hostname}:${port}`);
    expect(error.cause).toBeUndefined();
  }
});

test("only a connection that cannot be made is unreachable: not a failure, nor a slow answer", async () => {
  const nameOf = (error: unknown) => (error as Error).name;
  for (const mode of ["fails", "hangs"] as const) {
    ens.mode = mode;
    expect(await findAddress("alice.eth").catch(nameOf)).toBe("Error");
  }
  openEns({ rpcUrls: ["http://127.0.0.1:1", "http://127.0.0.1:9"] });
  const startedAt = performance.now();
  expect(await findAddress("alice.eth").catch(nameOf)).toBe("EnsUnreachableError");
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test("without an endpoint nothing is looked up", async () => {
  openEns({ rpcUrls: [] });
  expect(isEnsConfigured()).toBe(false);
  await expect(findAddress("alice.eth")).rejects.toThrow();
});
