import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import {
  BASE_COIN_TYPE,
  type EnsLookup,
  EnsUnreachableError,
  ETHEREUM_COIN_TYPE,
} from "../../../app/chain/ens/protocol";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import { listDefaultScoreChains } from "../../../app/domain/scores/chain";
import { readEnv } from "../../../app/env";
import { createEnsNames, type EnsNames } from "../../../app/services/ens/names";
import { removeOldEnsAnswers } from "../../../app/services/ens/store";
import { listEnsEndpoints } from "../../../app/services/scores/settings";
import { failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const createName = () => `${randomUUID()}.eth`;

/** Asks for names as the same asker, unless another one is named. */
const askAs = (own: string, names: EnsNames) => ({
  findAddress: (name: string, asker = own) => names.findAddress(name, asker),
  findPrimaryName: (address: Address, asker = own) => names.findPrimaryName(address, asker),
  getPrimaryName: (address: Address, coinType: bigint) =>
    names.getPrimaryName(address, coinType, own),
});

/** Creates ENS as a table, a clock that the test sets, and instances that share the database. */
function world({ patienceMs = 3_000 } = {}) {
  const ens = {
    now: Date.UTC(2026, 0, 1),
    fails: false as boolean | "unreachable",
    answers: new Map<string, string>(),
    calls: [] as string[],
    /** When set, look-ups wait for it. */
    gate: null as Promise<void> | null,
  };
  async function lookUp(question: string): Promise<string | null> {
    ens.calls.push(question);
    await ens.gate;
    if (ens.fails === "unreachable") throw new EnsUnreachableError();
    if (ens.fails) throw new Error("The ENS endpoint failed");
    return ens.answers.get(question) ?? null;
  }
  const lookup: EnsLookup = {
    normalizeName: (text) => text.toLowerCase(),
    findAddress: (name) => lookUp(name) as Promise<Address | null>,
    findPrimaryName: (address, coinType = ETHEREUM_COIN_TYPE) =>
      lookUp(coinType === ETHEREUM_COIN_TYPE ? address : `${address} on ${coinType}`),
  };
  const startInstance = () =>
    askAs(
      "somebody",
      createEnsNames({
        now: () => ens.now,
        load: async () => lookup,
        isConfigured: () => true,
        patienceMs,
      }),
    );
  return { ens, names: startInstance(), startInstance };
}

/** Waits until work that runs in the background has ended. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

test("ENS names are resolved by default, at the public node that GET /score asks", () => {
  const [ethereum] = listDefaultScoreChains();
  expect(ethereum?.chainId).toBe(1);
  expect(listEnsEndpoints({})).toEqual(ethereum?.rpcUrls);
  expect(listEnsEndpoints({ RPC_URL_1: ["https://own.example"] })).toEqual(["https://own.example"]);
  vi.stubEnv("RPC_URL_1", "off");
  expect(listEnsEndpoints(readEnv())).toEqual([]);
  vi.unstubAllEnvs();
});

test("an ENS that cannot be connected to is tried by one question in 10 seconds, whoever asks what", async () => {
  const { ens, names } = world();
  ens.fails = "unreachable";
  const failure = await failureOf(names.findAddress(createName()));
  expect(failure).toMatchObject({
    code: "ens_unavailable",
    details: { retryAfterSeconds: expect.any(Number) },
  });
  for (let asked = 0; asked < 5; asked += 1) {
    expect((await names.findPrimaryName(createAddress())).value).toBeNull();
    expect((await failureOf(names.findAddress(createName()))).code).toBe("ens_unavailable");
  }
  expect(ens.calls).toHaveLength(1);
  ens.fails = false;
  ens.now += 10 * SECOND;
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address);
  expect((await names.findAddress(name)).value).toBe(address);
});

test("a name's address is asked for again after 10 minutes", async () => {
  const { ens, names } = world();
  const [name, first, second] = [createName(), createAddress(), createAddress()];
  ens.answers.set(name, first);
  const resolvedAt = new Date(ens.now);
  expect(await names.findAddress(name)).toEqual({ value: first, resolvedAt });
  ens.answers.set(name, second);
  ens.now += 10 * MINUTE - 1;
  expect(await names.findAddress(name)).toEqual({ value: first, resolvedAt });
  expect(ens.calls).toHaveLength(1);
  ens.now += 1;
  expect(await names.findAddress(name)).toEqual({ value: second, resolvedAt: new Date(ens.now) });
});

test("an address' name is renewed behind an answer after an hour, for a day, and waited for after that", async () => {
  const { ens, names } = world();
  const [address, first, second, third] = [
    createAddress(),
    createName(),
    createName(),
    createName(),
  ];
  const findName = async () => (await names.findPrimaryName(address)).value;
  ens.answers.set(address, first);
  expect(await findName()).toBe(first);
  ens.answers.set(address, second);
  ens.now += HOUR - 1;
  expect(await findName()).toBe(first);
  expect(ens.calls).toHaveLength(1);
  ens.now += 1;
  expect(await findName()).toBe(first);
  await vi.waitFor(async () => expect(await findName()).toBe(second));
  await settle();
  expect(ens.calls).toHaveLength(2);
  ens.answers.set(address, third);
  ens.now += 25 * HOUR;
  expect(await findName()).toBe(third);
});

test("that there is none holds for 15 minutes, both ways", async () => {
  const { ens, names } = world();
  const [name, address] = [createName(), createAddress()];
  expect((await names.findAddress(name)).value).toBeNull();
  expect((await names.findPrimaryName(address)).value).toBeNull();
  ens.answers.set(name, address).set(address, name);
  ens.now += 15 * MINUTE - 1;
  expect((await names.findAddress(name)).value).toBeNull();
  expect((await names.findPrimaryName(address)).value).toBeNull();
  expect(ens.calls).toHaveLength(2);
  ens.now += 1;
  expect((await names.findAddress(name)).value).toBe(address);
  expect((await names.findPrimaryName(address)).value).toBe(name);
});

test("after a failure nobody is asked for 60 seconds, and then somebody is", async () => {
  const { ens, names } = world();
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address).set(address, name);
  ens.fails = true;
  const failure = await failureOf(names.findAddress(name));
  expect(failure).toMatchObject({ code: "ens_unavailable", details: { retryAfterSeconds: 60 } });
  expect(failure.details.cause).toBeInstanceOf(Error);
  expect((await names.findPrimaryName(address)).value).toBeNull();
  ens.fails = false;
  ens.now += 59 * SECOND;
  const again = await failureOf(names.findAddress(name));
  expect(again.details).toMatchObject({ retryAfterSeconds: 1 });
  expect(again.details.cause).toBeUndefined();
  expect((await names.findPrimaryName(address)).value).toBeNull();
  expect(ens.calls).toHaveLength(2);
  ens.now += SECOND;
  expect((await names.findAddress(name)).value).toBe(address);
  expect((await names.findPrimaryName(address)).value).toBe(name);
});

test("a failure never replaces what was known: it is answered for a day more, by every instance", async () => {
  const { ens, names, startInstance } = world();
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address).set(address, name);
  const before = new Date(ens.now);
  await names.findAddress(name);
  await names.findPrimaryName(address);
  ens.fails = true;
  for (const passed of [11 * MINUTE, HOUR, 12 * HOUR, 10 * HOUR]) {
    ens.now += passed;
    expect(await names.findAddress(name)).toEqual({ value: address, resolvedAt: before });
    expect(await names.findPrimaryName(address)).toEqual({ value: name, resolvedAt: before });
    await settle();
    const other = startInstance();
    expect((await other.findAddress(name)).value).toBe(address);
    expect((await other.findPrimaryName(address)).value).toBe(name);
    await settle();
  }
  ens.now += 3 * HOUR;
  expect((await failureOf(names.findAddress(name))).code).toBe("ens_unavailable");
  expect((await names.findPrimaryName(address)).value).toBeNull();
});

test("that there is none any more does replace it", async () => {
  const { ens, names } = world();
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address);
  await names.findAddress(name);
  ens.answers.clear();
  ens.now += 10 * MINUTE;
  expect((await names.findAddress(name)).value).toBeNull();
  ens.fails = true;
  ens.now += 15 * MINUTE;
  expect((await failureOf(names.findAddress(name))).code).toBe("ens_unavailable");
});

test("a hundred at once are one look-up, of a name and of an address, found or failed", async () => {
  const { ens, names } = world();
  for (const fails of [false, true]) {
    const [name, address] = [createName(), createAddress()];
    ens.answers.set(name, address).set(address, name);
    ens.calls.length = 0;
    ens.fails = fails;
    ens.gate = settle().then(() => {});
    const [addresses, found] = await Promise.all([
      Promise.allSettled(Array.from({ length: 100 }, () => names.findAddress(name))),
      Promise.all(Array.from({ length: 100 }, () => names.findPrimaryName(address))),
    ]);
    expect(new Set(addresses.map(({ status }) => status)).size).toBe(1);
    expect(addresses[0]?.status).toBe(fails ? "rejected" : "fulfilled");
    expect(new Set(found.map(({ value }) => value))).toEqual(new Set([fails ? null : name]));
    expect(ens.calls.sort()).toEqual([name, address].sort());
  }
});

test("what one instance found out, or failed to, another one knows", async () => {
  const { ens, names, startInstance } = world();
  const [name, address, unknown, broken] = [
    createName(),
    createAddress(),
    createName(),
    createName(),
  ];
  ens.answers.set(name, address).set(address, name);
  await names.findAddress(name);
  await names.findPrimaryName(address);
  await names.findAddress(unknown);
  ens.fails = true;
  await failureOf(names.findAddress(broken));
  ens.calls.length = 0;
  const other = startInstance();
  expect((await other.findAddress(name)).value).toBe(address);
  expect((await other.findPrimaryName(address)).value).toBe(name);
  expect((await other.findAddress(unknown)).value).toBeNull();
  expect((await failureOf(other.findAddress(broken))).code).toBe("ens_unavailable");
  expect(ens.calls).toEqual([]);
});

test("what another instance has renewed is taken over, and not asked for again", async () => {
  const { ens, names, startInstance } = world();
  const [name, first, second] = [createName(), createAddress(), createAddress()];
  ens.answers.set(name, first);
  await names.findAddress(name);
  ens.answers.set(name, second);
  ens.now += 10 * MINUTE;
  await startInstance().findAddress(name);
  ens.calls.length = 0;
  expect((await names.findAddress(name)).value).toBe(second);
  expect(ens.calls).toEqual([]);
});

test("whoever waits too long has an answer without ENS, and the next one has what came meanwhile", async () => {
  const { ens, names } = world({ patienceMs: 20 });
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address).set(address, name);
  let open = () => {};
  ens.gate = new Promise((resolve) => {
    open = resolve;
  });
  expect((await failureOf(names.findAddress(name))).details.retryAfterSeconds).toBe(1);
  expect((await names.findPrimaryName(address)).value).toBeNull();
  open();
  await settle();
  expect((await names.findAddress(name)).value).toBe(address);
  expect((await names.findPrimaryName(address)).value).toBe(name);
  expect(ens.calls).toHaveLength(2);
});

test("no more than 32 look-ups are under way, and more than 1,000 do not wait", async () => {
  const { ens, names } = world({ patienceMs: 200 });
  ens.gate = new Promise(() => {});
  const asked = Array.from({ length: 1_100 }, (_, i) =>
    names.findAddress(createName(), `asker ${i % 10}`),
  );
  const outcomes = await Promise.allSettled(asked);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(ens.calls).toHaveLength(32);
});

test("one whose names are answered slowly takes eight places, and the names of others are found", async () => {
  const { ens, names } = world({ patienceMs: 300 });
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address).set(address, name);
  ens.gate = new Promise(() => {});
  const slow = Array.from({ length: 40 }, () => failureOf(names.findAddress(createName(), "slow")));
  await vi.waitUntil(() => ens.calls.length >= 8);
  await settle();
  ens.gate = null;
  expect((await names.findAddress(name, "other")).value).toBe(address);
  expect((await names.findPrimaryName(address, "other")).value).toBe(name);
  expect(ens.calls).toHaveLength(10);
  await Promise.all(slow);
});

test("a question that waits for a slow asker's turn is asked in another's, once for both", async () => {
  const { ens, names } = world({ patienceMs: 1_000 });
  const [name, address] = [createName(), createAddress()];
  ens.answers.set(name, address);
  let open = () => {};
  ens.gate = new Promise((resolve) => {
    open = resolve;
  });
  const slow = Array.from({ length: 8 }, () => names.findAddress(createName(), "slow"));
  await vi.waitUntil(() => ens.calls.length === 8);
  const waiting = names.findAddress(name, "slow");
  await settle();
  ens.gate = null;
  expect((await names.findAddress(name, "other")).value).toBe(address);
  expect((await waiting).value).toBe(address);
  open();
  await Promise.all(slow);
  await settle();
  expect(ens.calls.filter((call) => call === name)).toHaveLength(1);
});

test("an endpoint that is not there is not asked for, nor what is kept", async () => {
  const { ens, names } = world();
  const name = createName();
  ens.answers.set(name, createAddress());
  await names.findAddress(name);
  const without = askAs(
    "somebody",
    createEnsNames({ isConfigured: () => false, load: () => Promise.reject() }),
  );
  expect((await failureOf(without.findAddress(name))).code).toBe("ens_unavailable");
  expect((await without.findPrimaryName(createAddress())).value).toBeNull();
});

test("what is of no use any more is removed, and nothing else", async () => {
  const { ens, names } = world();
  const [old, kept] = [createName(), createName()];
  ens.now = Date.now() - 25 * HOUR;
  ens.answers.set(old, createAddress()).set(kept, createAddress());
  await names.findAddress(old);
  ens.now = Date.now() - 23 * HOUR;
  await names.findAddress(kept);
  expect(await removeOldEnsAnswers()).toBe(false);
  const rows = await withDatabase((db) =>
    db.execute<{ question: string }>(
      `select question from ens_answers where question in ('${old}', '${kept}')`,
    ),
  );
  expect(rows.map(({ question }) => question)).toEqual([kept]);
});

test("an address' names on two chains are two questions, kept apart by every instance", async () => {
  const { ens, names, startInstance } = world();
  const address = createAddress();
  ens.answers.set(address, "ethereum.eth");
  ens.answers.set(`${address} on ${BASE_COIN_TYPE}`, "based.base.eth");
  for (const instance of [names, startInstance()]) {
    const ask = async (coinType: bigint) =>
      (await instance.getPrimaryName(address, coinType)).value;
    expect(await ask(BASE_COIN_TYPE)).toBe("based.base.eth");
    expect(await ask(ETHEREUM_COIN_TYPE)).toBe("ethereum.eth");
    expect((await instance.findPrimaryName(address)).value).toBe("ethereum.eth");
  }
  expect(ens.calls).toHaveLength(2);
});

test("who needs to know whether there is a name is told when that could not be found out", async () => {
  const { ens, names } = world();
  ens.fails = true;
  const failure = await failureOf(names.getPrimaryName(createAddress(), BASE_COIN_TYPE));
  expect(failure.code).toBe("ens_unavailable");
});
