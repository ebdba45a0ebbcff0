import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openEns, resolveEnsName } from "../../app/chain/ens";
import { type FakeEns, startFakeEns } from "../fakes/ens-rpc";
import { failureOf } from "../operators";

const ALICE = "0x00000000000000000000000000000000000A11cE";
let ens: FakeEns;

beforeAll(async () => {
  ens = await startFakeEns({
    "alice.eth": ALICE,
    "faß.eth": ALICE,
    "zero.eth": "0x0000000000000000000000000000000000000000",
    "away.eth": "offchain",
  });
});
afterAll(() => ens.stop());
beforeEach(() => {
  ens.mode = "answers";
  ens.calls.length = 0;
  openEns({ rpcUrl: ens.url });
});

test.each(["alice.eth", "ALICE.eth", "Alice.ETH", "faß.eth"])(
  "%s is its address, in lower case",
  async (name) => {
    expect(await resolveEnsName(name)).toBe(ALICE.toLowerCase());
  },
);

test.each(["nobody.eth", "zero.eth"])("%s has no address", async (name) => {
  expect(await resolveEnsName(name)).toBeNull();
  expect(ens.calls).toEqual([name]);
});

test.each(["alice", "", "a..eth", "al ice.eth", "under_score.eth\u0000", `${"a".repeat(300)}.eth`])(
  "%j is no name, and nobody is asked",
  async (name) => {
    expect(await resolveEnsName(name)).toBeNull();
    expect(ens.calls).toEqual([]);
  },
);

test("an answer is asked for once, also by many at once, and whatever the letter case", async () => {
  await Promise.all(
    ["alice.eth", "ALICE.ETH", "alice.eth", "nobody.eth", "nobody.eth"].map(resolveEnsName),
  );
  await resolveEnsName("alice.eth");
  expect(ens.calls.sort()).toEqual(["alice.eth", "nobody.eth"]);
});

test("a failure is not kept: the next call asks again", async () => {
  ens.mode = "fails";
  const failure = await failureOf(resolveEnsName("alice.eth"));
  expect(failure.code).toBe("ens_unavailable");
  ens.mode = "answers";
  expect(await resolveEnsName("alice.eth")).toBe(ALICE.toLowerCase());
});

test("an endpoint that hangs is given up", async () => {
  ens.mode = "hangs";
  expect((await failureOf(resolveEnsName("alice.eth"))).code).toBe("ens_unavailable");
});

test("a name with records off chain makes no call to where it points", async () => {
  expect((await failureOf(resolveEnsName("away.eth"))).code).toBe("ens_unavailable");
  expect(ens.calls).toEqual(["away.eth"]);
});

test("what a log may get of a failure does not name the endpoint", async () => {
  const { hostname, port } = new URL(ens.url);
  for (const mode of ["fails", "hangs"] as const) {
    ens.mode = mode;
    const { details } = await failureOf(resolveEnsName("alice.eth"));
    const text = String((details.cause as Error).stack);
    expect(text).toContain("The ENS endpoint failed");
    expect(text).not.toContain(`${hostname}:${port}`);
  }
});

test("without an endpoint, names are not resolved", async () => {
  openEns({ rpcUrl: null });
  expect((await failureOf(resolveEnsName("alice.eth"))).code).toBe("ens_not_configured");
});
