import { randomBytes, randomUUID } from "node:crypto";
import { asc, eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import { withDatabase } from "../../app/db/client";
import { pointEvents, pointSystemTotals, wallets } from "../../app/db/schema/ledger";
import { generateApiKeyToken } from "../../app/domain/access/api-key";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { FixtureError, type FixtureProblem } from "../../app/services/fixture/problems";
import { parseKeys } from "../../app/services/keyring/keys";
import { verifyLedger } from "../../app/services/ledger/verify";

export const keyring = parseKeys(`k1:${randomBytes(32).toString("hex")}`);

/** Creates an address that is easy to read in a failure: the same two digits repeated. */
export const addressOf = (digits: string): `0x${string}` => `0x${digits.repeat(20)}`;

/** Creates a list whose only entry is known to the type checker. */
const one = <T>(entry: T): [T] => [entry];

/** Creates the complete example of the format's description, with unique names. */
export function createExample() {
  const code = randomBytes(5).toString("hex");
  const email = `ops-${code}@example.com`;
  const slug = `alpha-${code}`;
  const tokenReward = {
    kind: "token",
    id: randomUUID(),
    campaignId: `CMP-${code.toUpperCase()}`,
    campaignName: "Season one",
    tokenType: "custom",
    tokenAddress: addressOf("11"),
    tokenSymbol: "ABC",
    tokenDecimals: 18,
    chainId: 84532,
    totalAmount: "1000.5",
    minPoints: 100,
    maxPoints: 5000,
    status: "distributed",
    claimDeadline: null,
    createdAt: "2026-03-01T00:00:00.000Z",
    airdrop: {
      onchainId: BigInt(`0x${code}`).toString(),
      contractAddress: addressOf("22"),
      status: "active",
    },
    distributions: one({
      id: randomUUID(),
      address: addressOf("aa"),
      amount: "400.25",
      proof: "built",
      distributedAt: "2026-03-02T00:00:00.000Z",
      claimedAt: null,
      claimTxHash: null,
    }),
  };
  const giftCard = {
    id: randomUUID(),
    address: addressOf("aa"),
    code: "AAAA-BBBB",
    revealed: false,
    claimedAt: null,
    distributedAt: "2026-03-02T00:00:00.000Z",
  };
  const giftCardReward = {
    kind: "giftcard",
    id: randomUUID(),
    campaignName: "Thank you",
    status: "distributed",
    tiers: one({ label: "Gold", cards: one(giftCard) }),
  };
  const dailyLogin = {
    id: randomUUID(),
    address: addressOf("Aa"),
    points: 10,
    event: "daily_login",
    date: "2026-01-02T03:04:05.000Z",
  };
  const manualGrant = { address: addressOf("bb"), points: 25, event: null };
  const blacklisting = {
    address: addressOf("dd"),
    reason: "sybil",
    date: "2026-02-01T00:00:00.000Z",
  };
  return {
    operators: one({ email, password: "a long passphrase", name: "Ops" }),
    pointSystems: one({
      operator: email,
      id: randomUUID(),
      name: "Alpha",
      slug,
      triggers: one({ name: "Daily login", key: "daily_login", points: 10, active: true }),
      events: [dailyLogin, manualGrant] as const,
      wallets: [addressOf("cc")],
      blacklist: one(blacklisting),
      rewards: [tokenReward, giftCardReward] as const,
    }),
    apiKeys: one({
      operator: email,
      name: "backend",
      key: generateApiKeyToken(),
      permission: "all",
      pointSystems: [slug],
    }),
  };
}

/** Creates a file with one point system and the test's fields. */
export function createFile(fields: Record<string, unknown> = {}) {
  const { operators, pointSystems } = createExample();
  const { operator, id, name, slug } = pointSystems[0];
  return { operators, pointSystems: one({ operator, id, name, slug, ...fields }) };
}

/** Changes the same point system, as a later file does. */
export function changeSystem<T extends { readonly pointSystems: readonly [object] }>(
  file: T,
  fields: Record<string, unknown>,
) {
  return { ...file, pointSystems: one({ ...file.pointSystems[0], ...fields }) };
}

export const load = (file: unknown) => loadFixture(file, { getKeyring: () => keyring });

/** Loads a file that must be refused, and returns its problems. */
export async function listProblems(file: unknown): Promise<readonly FixtureProblem[]> {
  try {
    await load(file);
  } catch (error) {
    if (error instanceof FixtureError) return error.problems;
    throw error;
  }
  throw new Error("The file was loaded");
}

/** The value with which `put` removes a field. */
export const MISSING = undefined;

/** Puts a value at a path of the file, or removes the present one. */
export function put(file: object, path: string, value: unknown): void {
  const keys = path.match(/[^.[\]]+/g) ?? [];
  const last = keys.pop() ?? "";
  const parent = keys.reduce(
    (at: Record<string, unknown>, key) => at[key] as Record<string, unknown>,
    file as Record<string, unknown>,
  );
  if (value === MISSING) delete parent[last];
  else parent[last] = value;
}

/** Loads the example with one change, and returns the problems. They must have left no trace. */
export async function listProblemsOf(path: string, value: unknown) {
  const file = createExample();
  put(file, path, value);
  const before = await dumpDatabase();
  const problems = await listProblems(file);
  expect(await dumpDatabase()).toEqual(before);
  return problems;
}

/** Dumps every row of every table in a fixed order; the jobs that wait in a queue are not data. */
export async function dumpDatabase(): Promise<Record<string, unknown[]>> {
  return withDatabase(async (db) => {
    const tables = await db.execute<{ name: string }>(
      sql`select tablename as name from pg_tables
        where schemaname = 'public' and tablename <> 'jobs' order by 1`,
    );
    const dump: Record<string, unknown[]> = {};
    for (const { name } of tables) {
      const rows = await db.execute<{ row: unknown }>(
        sql`select to_jsonb(t) as row from ${sql.identifier(name)} t order by to_jsonb(t)::text`,
      );
      dump[name] = rows.map(({ row }) => row);
    }
    return dump;
  });
}

/** Lists a point system's events in the order of writing. */
export const listEvents = (pointSystemId: string) =>
  withDatabase((db) =>
    db
      .select()
      .from(pointEvents)
      .where(eq(pointEvents.pointSystemId, pointSystemId))
      .orderBy(asc(pointEvents.seq)),
  );

export const listWallets = (pointSystemId: string) =>
  withDatabase((db) =>
    db
      .select()
      .from(wallets)
      .where(eq(wallets.pointSystemId, pointSystemId))
      .orderBy(asc(wallets.address)),
  );

export async function getTotals(pointSystemId: string) {
  const [totals] = await withDatabase((db) =>
    db.select().from(pointSystemTotals).where(eq(pointSystemTotals.pointSystemId, pointSystemId)),
  );
  return totals;
}

/** Checks that every wallet, balance and total matches the events. */
export async function expectSoundLedger(): Promise<void> {
  expect((await verifyLedger()).differences).toEqual([]);
}
