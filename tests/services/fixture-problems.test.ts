import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { FixtureFile } from "../../app/services/fixture/fixture-schema";
import {
  addressOf,
  createExample,
  listProblems,
  listProblemsOf,
  MISSING,
  put,
} from "../fixture-file";

const SYSTEM = "pointSystems[0]";
const TOKEN = `${SYSTEM}.rewards[0]`;
const GIFT_CARDS = `${SYSTEM}.rewards[1]`;

describe("a bad field is named by its path, and nothing is loaded", () => {
  test.each<[path: string, value: unknown, message: string]>([
    ["operators[0].email", "ops", "an e-mail address"],
    ["operators[0].password", "", "must not be empty"],
    ["operators[0].password", MISSING, "is missing"],
    ["operators", {}, "must be a list"],
    [`${SYSTEM}.operator`, MISSING, "is missing"],
    [`${SYSTEM}.operator`, "a\0b", "an e-mail address"],
    [`${SYSTEM}.id`, "11111111", "must be a UUID"],
    [`${SYSTEM}.name`, 7, "must be text"],
    [`${SYSTEM}.name`, "a\0b", "NUL"],
    [`${SYSTEM}.slug`, "Alpha Beta", "words of a-z and 0-9"],
    [`${SYSTEM}.slug`, "hint", "and not hint"],
    [`${SYSTEM}.triggers[0]`, "daily_login", "must be an object"],
    [`${SYSTEM}.triggers[0].key`, "Daily-Login", "1 to 100 of a-z, 0-9 and _"],
    [`${SYSTEM}.triggers[0].key`, "a".repeat(101), "1 to 100 of a-z, 0-9 and _"],
    [`${SYSTEM}.triggers[0].points`, 0, "a whole number from 1 to 1000000000"],
    [`${SYSTEM}.triggers[0].points`, 1.5, "a whole number"],
    [`${SYSTEM}.triggers[0].points`, "10", "a whole number"],
    [`${SYSTEM}.triggers[0].active`, "yes", "must be true or false"],
    [`${SYSTEM}.events[1].points`, 1_000_000_001, "from 1 to 1000000000"],
    [`${SYSTEM}.events[1].points`, -1, "from 1 to 1000000000"],
    [`${SYSTEM}.events[1].address`, "0x12", "0x and 40 hexadecimal characters"],
    [`${SYSTEM}.events[1].address`, null, "0x and 40 hexadecimal characters"],
    [`${SYSTEM}.events[1].event`, 7, "must be text"],
    [`${SYSTEM}.events[0].date`, "2026-02-30T00:00:00Z", "ISO 8601"],
    [`${SYSTEM}.events[0].date`, "2026-02-03T00:00:00", "ISO 8601"],
    [`${SYSTEM}.events[0].date`, "0000-01-01", "ISO 8601"],
    [`${SYSTEM}.events[0].date`, 1_700_000_000, "ISO 8601"],
    [`${SYSTEM}.wallets[0]`, "vitalik.eth", "0x and 40 hexadecimal characters"],
    [`${SYSTEM}.blacklist[0].reason`, {}, "must be text"],
    [`${TOKEN}.kind`, "coupon", 'must be "token" or "giftcard"'],
    [`${TOKEN}.kind`, MISSING, "is missing"],
    [`${TOKEN}.campaignId`, "7F3K", "CMP-"],
    [`${TOKEN}.tokenType`, "erc20", "one of ethereum, solana, bitcoin, usdc, usdt, custom"],
    [`${TOKEN}.tokenAddress`, null, "must be there when tokenType is custom"],
    [`${TOKEN}.tokenType`, "ethereum", "must be null when tokenType is ethereum"],
    [`${TOKEN}.tokenSymbol`, MISSING, "is missing"],
    [`${TOKEN}.tokenDecimals`, 256, "a whole number from 0 to 255"],
    [`${TOKEN}.chainId`, 1, "one of 5031, 50312, 8453, 84532"],
    [`${TOKEN}.chainId`, null, "must be null when chainId is"],
    [`${TOKEN}.totalAmount`, 1000.5, "in quotes"],
    [`${TOKEN}.totalAmount`, "1e3", "plain decimal notation"],
    [`${TOKEN}.totalAmount`, "-5", "plain decimal notation"],
    [`${TOKEN}.minPoints`, -1, "a whole number"],
    [`${TOKEN}.maxPoints`, 0, "a whole number from 1"],
    [`${TOKEN}.status`, "ended", "one of draft, active, distributed, cancelled"],
    [`${TOKEN}.claimDeadline`, "soon", "ISO 8601"],
    [`${TOKEN}.airdrop.status`, "distributed", "one of building, ready, active, ended"],
    [`${TOKEN}.airdrop.onchainId`, 7, "a whole decimal number, in quotes"],
    [`${TOKEN}.airdrop.onchainId`, (2n ** 256n).toString(), "up to 2^256-1"],
    [`${TOKEN}.distributions`, "all", 'must be "auto" or a list'],
    [`${TOKEN}.distributions[0].amount`, "0.0000000000000000001", "at most 18 decimals"],
    [`${TOKEN}.distributions[0].amount`, "1000.6", "add up to 1000.6, which is over totalAmount"],
    [`${TOKEN}.distributions[0].proof`, "done", "one of built, pending"],
    [`${TOKEN}.distributions[0].claimTxHash`, "0x12", "0x and 64 hexadecimal characters"],
    [`${GIFT_CARDS}.tiers[0].label`, MISSING, "is missing"],
    [`${GIFT_CARDS}.tiers[0].cards[0].code`, "", "must not be empty"],
    [`${GIFT_CARDS}.tiers[0].cards[0].revealed`, 1, "must be true or false"],
    ["apiKeys[0].key", "rw_123", "rw_ and 32 hexadecimal characters"],
    ["apiKeys[0].pointSystems[0]", "a\0b", "NUL"],
    ["apiKeys[0].permission", "write", "one of trigger, read, all"],
  ])("%s: %j", async (path, value, message) => {
    // A rule between two fields names the one that has to go.
    const paths: Record<string, string> = {
      "must be null when tokenType is ethereum": `${TOKEN}.tokenAddress`,
      "must be null when chainId is": `${TOKEN}.airdrop`,
      "add up to 1000.6, which is over totalAmount": `${TOKEN}.distributions`,
    };
    const [problem, ...others] = await listProblemsOf(path, value);
    expect(problem).toEqual({
      path: paths[message] ?? path,
      message: expect.stringContaining(message),
    });
    // What refers to the bad entry refers to nothing.
    for (const other of others) expect(other.message).toMatch(/^is no (operator|point system)'s/);
  });

  test.each([
    "nonsense",
    "operators[0].nonsense",
    `${SYSTEM}.nonsense`,
    `${SYSTEM}.triggers[0].nonsense`,
    `${SYSTEM}.events[1].nonsense`,
    `${SYSTEM}.blacklist[0].nonsense`,
    `${TOKEN}.nonsense`,
    `${TOKEN}.airdrop.nonsense`,
    `${TOKEN}.distributions[0].nonsense`,
    `${GIFT_CARDS}.nonsense`,
    `${GIFT_CARDS}.tiers[0].nonsense`,
    `${GIFT_CARDS}.tiers[0].cards[0].nonsense`,
    "apiKeys[0].nonsense",
  ])("%s: an unknown field", async (path) => {
    expect(await listProblemsOf(path, 1)).toEqual([{ path, message: "is unknown" }]);
  });

  test.each([[null], [[]], ["text"], [7]])("%j for a file", async (file) => {
    expect(await listProblems(file)).toEqual([{ path: "", message: "must be an object" }]);
  });

  test.each([
    ["revealed", true],
    ["claimedAt", "2026-01-01T00:00:00Z"],
  ])("a card in the pool that has %s set", async (field, value) => {
    const cards = [{ code: "A", [field]: value }];
    expect(await listProblemsOf(`${GIFT_CARDS}.tiers[0].cards`, cards)).toEqual([
      {
        path: `${GIFT_CARDS}.tiers[0].cards[0].${field}`,
        message: "must not be set on a card without an address",
      },
    ]);
  });
});

describe("what may occur once is named where it is repeated", () => {
  const id = randomUUID();
  const address = addressOf("ab");
  const token = {
    kind: "token",
    campaignName: "Again",
    tokenType: "usdt",
    tokenSymbol: "USDT",
    tokenDecimals: 6,
    totalAmount: "1",
    status: "active",
  };

  test.each<[list: string, entry: object | string, field: string]>([
    ["operators", { email: "Twice@example.com", password: "p" }, "email"],
    ["pointSystems", { id, name: "Twice" }, "id"],
    ["pointSystems", { slug: "twice", name: "Twice" }, "slug"],
    [`${SYSTEM}.triggers`, { key: "twice", points: 1 }, "key"],
    [`${SYSTEM}.events`, { id, address, points: 1 }, "id"],
    [`${SYSTEM}.wallets`, address, ""],
    [`${SYSTEM}.blacklist`, { address }, "address"],
    [`${SYSTEM}.rewards`, { ...token, id }, "id"],
    [`${SYSTEM}.rewards`, { ...token, campaignId: "CMP-TWICE" }, "campaignId"],
    [`${TOKEN}.distributions`, { address, amount: "1" }, "address"],
    [`${GIFT_CARDS}.tiers`, { label: "Twice" }, "label"],
    [`${GIFT_CARDS}.tiers[0].cards`, { id, code: "A" }, "id"],
    ["apiKeys", { name: "Twice", key: `rw_${"ab".repeat(16)}`, permission: "all" }, "key"],
    ["apiKeys[0].pointSystems", id, ""],
  ])("%s: %j", async (list, entry, field) => {
    const example = createExample();
    const { operator } = example.pointSystems[0];
    const complete =
      typeof entry === "object" && /^(pointSystems|apiKeys)$/.test(list)
        ? { operator, ...entry }
        : entry;
    const text = JSON.stringify(complete);
    // The letter case of the second differs where it means nothing.
    const other = /address|0x/.test(text) ? text.replace("0xab", "0xAB") : text;
    put(example, list, [complete, JSON.parse(other)]);
    if (list === "apiKeys[0].pointSystems") put(example, `${SYSTEM}.id`, id);
    if (list === "pointSystems") put(example, "apiKeys", []);
    const at = (index: number) => `${list}[${index}]${field && `.${field}`}`;
    const problems = await listProblems(example);
    expect(problems).toContainEqual({ path: at(1), message: `repeats ${at(0)}` });
  });
});

describe("a reference to nothing is named", () => {
  test.each([
    [`${SYSTEM}.operator`, "nobody@example.com", "is no operator's e-mail address"],
    ["apiKeys[0].operator", "nobody@example.com", "is no operator's e-mail address"],
    ["apiKeys[0].pointSystems[0]", "nowhere", "is no point system's slug or id"],
    ["apiKeys[0].pointSystems[0]", randomUUID(), "is no point system's slug or id"],
  ])("%s: %s", async (path, value, message) => {
    expect(await listProblemsOf(path, value)).toEqual([{ path, message }]);
  });
});

test("all problems of a file are listed at once", async () => {
  const file = createExample();
  put(file, `${SYSTEM}.triggers[0].points`, 0);
  put(file, `${SYSTEM}.wallets`, [addressOf("ab"), addressOf("AB"), "x"]);
  put(file, `${TOKEN}.tokenAddress`, null);
  put(file, "apiKeys[0].operator", "nobody@example.com");
  put(file, "apiKeys[0].extra", 1);
  const problems = await listProblems(file);
  expect(problems.map(({ path }) => path).sort()).toEqual(
    [
      `${SYSTEM}.triggers[0].points`,
      `${SYSTEM}.wallets[1]`,
      `${SYSTEM}.wallets[2]`,
      `${TOKEN}.tokenAddress`,
      "apiKeys[0].operator",
      "apiKeys[0].extra",
    ].sort(),
  );
});

test("no message repeats a password, a key or a code", async () => {
  const file = createExample();
  const secret = "s3cr3t";
  put(file, "operators[0].password", [secret]);
  put(file, "apiKeys[0].key", secret);
  put(file, `${GIFT_CARDS}.tiers[0].cards[0].code`, { secret });
  const problems = await listProblems(file);
  expect(problems).toHaveLength(3);
  expect(JSON.stringify(problems)).not.toContain(secret);
});

test("the example is right as it is", () => {
  expect(FixtureFile.safeParse(createExample()).success).toBe(true);
});
