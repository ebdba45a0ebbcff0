import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client";
import { hasChangedNothing } from "../../db/errors";
import { replicatedQuery } from "../../db/replicated";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { createEventId } from "../../domain/ledger/event-id";
import { type Balance, toBalance } from "../../domain/ledger/spending";
import { recordAudit } from "../access/audit-log";
import type { AuthorizedKey } from "../access/authorization";
import type { Editor, RequestOrigin } from "../access/members";
import { sayEvent } from "../webhooks/outbox/say-event";
import { writeLedger } from "./write-ledger";

// A spend is a plain transaction, not a batch of the credits' path: lock, one statement, commit. Only the database
// decides, so any number of processes may spend at once.

/** A call to take points from a wallet's balance. */
export interface SpendCall {
  readonly pointSystemId: string;
  readonly walletAddress: Address;
  /** Whole points, 1 to `CREDIT_POINTS_MAX`. */
  readonly points: number;
  readonly reason: string;
  /** A later call with the same key repeats the first answer and spends nothing. */
  readonly idempotencyKey: string | null;
}

type Traced = Pick<RequestOrigin, "traceId">;

export interface Spend {
  readonly id: string;
  /** The wallet's balance after it. */
  readonly balance: number;
  readonly isReplayed: boolean;
}

/** A spend that was given back. */
export interface Reversal {
  /** The wallet that has the points now: the spend's, or the one to which its spending was moved since. */
  readonly address: Address;
  readonly points: number;
  readonly balance: number;
}

const toBytea = (address: Address): SQL => sql`${sql.param(address, wallets.address)}::bytea`;

/**
 * Takes points from a wallet's balance. They stay on boards: `wallets.points` does not change.
 * @throws {Failure} `insufficient_points`, `wallet_blacklisted`, `idempotency_key_reused`, and as `writeSpends`
 */
export function spendPoints(
  key: AuthorizedKey,
  { pointSystemId, walletAddress, points, reason, idempotencyKey }: SpendCall,
  origin: Traced = {},
): Promise<Spend> {
  const spendId = createEventId();
  return writeSpends(pointSystemId, async (tx) => {
    const [answer] = await tx.execute<{ verdict: string; id: string; balance: string }>(sql`
      select verdict, id, balance from spend_points(
        ${pointSystemId}::uuid, ${spendId}::uuid, ${toBytea(walletAddress)}, ${points}::bigint, ${reason}::text,
        ${key.id}::uuid, ${idempotencyKey}::text
      )`);
    const { verdict, id, balance } = answer as { verdict: string; id: string; balance: string };
    const spend = { id, balance: Number(balance), isReplayed: verdict === "replayed" };
    if (spend.isReplayed) return spend;
    if (verdict !== "spent") throw new Failure(verdict as "insufficient_points");
    const data = { spendId: id, walletAddress, points, reason, balance: spend.balance };
    await sayEvent(tx, pointSystemId, "points.spent", data, origin);
    return spend;
  });
}

/**
 * Gives a spend back, once: a repeated call answers the first reversal. It does so for a blacklisted wallet, too.
 * @throws {Failure} `spend_not_found`, and as `writeSpends`
 */
export function reverseSpend(
  key: AuthorizedKey,
  pointSystemId: string,
  spendId: string,
  { traceId }: Traced = {},
): Promise<Reversal> {
  return writeSpends(pointSystemId, async (tx) => {
    const { isNew: _, ...reversal } = await reverse(tx, pointSystemId, spendId, {
      ...{ apiKeyId: key.id, traceId },
    });
    return reversal;
  });
}

/**
 * Gives a spend back for an operator.
 * @param note a line for operators, or null
 * @throws {Failure} `spend_not_found`, `spend_reversed` when it was given back already
 */
export function reverseSpendByHand(
  { actor, pointSystemId }: Editor,
  spendId: string,
  note: string | null,
): Promise<Reversal> {
  return writeLedger(pointSystemId, async (tx) => {
    const by = { operatorId: actor.operatorId, note, traceId: actor.traceId };
    const { isNew, ...reversal } = await reverse(tx, pointSystemId, spendId, by);
    if (!isNew) throw new Failure("spend_reversed");
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "spend.reverse",
      subject: spendId,
      before: { address: reversal.address, points: reversal.points },
      ...(note !== null && { after: { note } }),
    });
    return reversal;
  });
}

interface ReversedBy {
  readonly apiKeyId?: string;
  readonly operatorId?: string;
  readonly note?: string | null;
  readonly traceId?: string | null | undefined;
}

async function reverse(
  tx: Transaction,
  pointSystemId: string,
  spendId: string,
  { apiKeyId, operatorId, note, traceId }: ReversedBy,
): Promise<Reversal & { readonly isNew: boolean }> {
  const [row] = await tx.execute<{
    isNew: boolean;
    address: Address;
    points: number;
    balance: number;
  }>(sql`
    select is_new as "isNew", '0x' || encode(address, 'hex') as address, points::float8 as points,
      balance::float8 as balance
    from reverse_spend(
      ${pointSystemId}::uuid, ${spendId}::uuid, ${createEventId()}::uuid, ${note ?? null}::text,
      ${apiKeyId ?? null}::uuid, ${operatorId ?? null}::uuid
    )`);
  if (!row) throw new Failure("spend_not_found");
  const { isNew, address, points, balance } = row;
  if (isNew) {
    const data = { spendId, walletAddress: address, points, balance };
    await sayEvent(tx, pointSystemId, "points.spend_reversed", data, { traceId });
  }
  return { isNew, address, points, balance };
}

/**
 * Writes to the ledger of spent points, for a call that may be sent again.
 * @throws {Failure} `not_credited` when the database did not answer and nothing was or will be written,
 *   `outcome_unknown` when it may have been
 */
async function writeSpends<Answer>(
  pointSystemId: string,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await writeLedger(pointSystemId, work);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "service_unavailable") throw error;
    const code = hasChangedNothing(error) ? "not_credited" : "outcome_unknown";
    throw new Failure(code, { cause: error });
  }
}

const selectBalance = replicatedQuery("reads", (db) =>
  db
    .select({
      earned: sql`b.earned`.mapWith(Number),
      spent: sql`b.spent`.mapWith(Number),
    })
    .from(
      sql`read_balance(
        ${sql.placeholder("pointSystemId")}::uuid, ${sql.param(sql.placeholder("address"), wallets.address)}::bytea
      ) b`,
    )
    .prepare("find_balance"),
);

/** Finds a wallet's balance. Null when the address never received points and is not registered. */
export async function findBalance(
  pointSystemId: string,
  address: Address,
): Promise<Balance | null> {
  const [row] = await selectBalance({ pointSystemId, address });
  return row ? toBalance(row) : null;
}

/**
 * Reads a wallet's balance.
 * @throws {Failure} `wallet_not_found` as `getWalletEntry`
 */
export async function getBalance(pointSystemId: string, address: Address): Promise<Balance> {
  const balance = await findBalance(pointSystemId, address);
  if (!balance) throw new Failure("wallet_not_found");
  return balance;
}
