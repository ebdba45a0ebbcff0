import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import { type Executor, type Transaction, withDatabase } from "../../db/client";
import { distributions } from "../../db/schema/rewards";
import type { AuditAction } from "../../domain/access/audit";
import type { Address } from "../../domain/address";
import type { Campaign } from "../../domain/campaigns/campaign";
import {
  PAYOUT_PROBLEMS,
  type Payout,
  type PayoutDefaults,
  type PayoutProblem,
  parsePayoutRow,
} from "../../domain/campaigns/payout";
import { Failure } from "../../domain/failure";
import type { Editor, Member } from "../access/members";
import { guessLayout, readRows } from "../imports/file";
import { takeCampaignStep } from "./steps";

// Payouts by hand: an operator pays shares in coins that have no campaign contract here, and marks
// the wallets as paid.

/** The most wallets and references that one audit entry names. */
const AUDITED_MAX = 20;

/** The wallets that a campaign's payouts changed. */
export interface PayoutChange {
  readonly changed: number;
  /** The wallets that were in the wanted state already. */
  readonly unchanged: number;
}

/** A payout, with its line in a file. */
type Row = Payout & { readonly line?: number };

/**
 * Marks wallets as paid: the API answers their shares as claimed. Nothing is marked when a wallet
 * has no share, or was paid with another reference; a wallet with this reference is left as it is.
 * Many wallets are marked in batches; the same call again finishes what was interrupted.
 * @param payouts each wallet once
 * @throws {Failure} `not_found`, `campaign_moved_on`, `payouts_refused`
 */
export async function markPaid(
  member: Editor,
  rewardId: string,
  payouts: readonly Row[],
): Promise<PayoutChange> {
  const open: Row[] = [];
  const problems: [Row, PayoutProblem][] = [];
  for await (const batch of toBatches(payouts)) {
    const found = await withDatabase((db) => findShares(db, member, rewardId, batch));
    for (const row of batch) {
      const share = found.get(row.address);
      if (!share) problems.push([row, "no_share"]);
      else if (share.claimedAt === null) open.push(row);
      else if (share.reference !== row.reference) problems.push([row, "paid_otherwise"]);
    }
  }
  refuse(problems);
  let changed = 0;
  for await (const batch of toBatches(open)) {
    changed += await changeShares(
      member,
      rewardId,
      "campaign.pay",
      sql`
      update distributions d set claimed_at = p.paid_at, payout_reference = p.reference
      from unnest(
        ${toArrayLiteral(toAddresses(batch).map(toBytea))}::bytea[],
        ${toArrayLiteral(batch.map(({ reference }) => reference))}::text[],
        ${toArrayLiteral(batch.map(({ paidAt }) => paidAt.toISOString()))}::timestamptz[]
      ) as p(address, reference, paid_at)
      join ${selectShares(member, rewardId, toAddresses(batch))} s on s.address = p.address
      where d.ctid = s.place and d.claimed_at is null
      returning '0x' || encode(d.address, 'hex') as address, p.reference`,
      // Others may have been marked since they were found open.
      async (tx, marked) => {
        const done = new Set(marked);
        const left = batch.filter(({ address }) => !done.has(address));
        const found = await findShares(tx, member, rewardId, left);
        refuse(
          left
            .filter(({ address, reference }) => found.get(address)?.reference !== reference)
            .map((row) => [row, "paid_otherwise"]),
        );
      },
    );
  }
  return { changed, unchanged: payouts.length - changed };
}

/**
 * Takes marks back: the shares are to be paid again. A share that was claimed from a contract has no
 * mark.
 * @throws {Failure} `not_found`, `campaign_moved_on`
 */
export async function unmarkPaid(
  member: Editor,
  rewardId: string,
  addresses: readonly Address[],
): Promise<PayoutChange> {
  let changed = 0;
  for await (const batch of toBatches(addresses)) {
    changed += await changeShares(
      member,
      rewardId,
      "campaign.unpay",
      sql`
      update distributions d set claimed_at = null, payout_reference = null
      from ${selectShares(member, rewardId, batch)} s
      where d.ctid = s.place and d.payout_reference is not null
      returning '0x' || encode(d.address, 'hex') as address, s.payout_reference as reference`,
    );
  }
  return { changed, unchanged: addresses.length - changed };
}

/**
 * Reads a file of payouts: address, reference and time, of which the last two may be left out.
 * @throws {Failure} `payouts_refused` with the first bad row, `import_unreadable`, `import_empty`,
 *   `import_too_many_rows`
 */
export async function readPayouts(csv: string, defaults: PayoutDefaults): Promise<Row[]> {
  const rows = new Map<Address, Row>();
  const problems: [{ line: number }, PayoutProblem][] = [];
  const now = new Date();
  const reading = readRows(csv, guessLayout(csv));
  for (;;) {
    const { value, done } = await reading.next();
    if (done) {
      if (value.hasTooManyRows) throw new Failure("import_too_many_rows");
      if (value.unreadableFrom !== null) throw new Failure("import_unreadable");
      break;
    }
    const { line, cells } = value;
    const row = parsePayoutRow(cells, defaults, now);
    if (typeof row === "string") problems.push([{ line }, row]);
    else if (rows.has(row.address)) problems.push([{ line }, "repeated"]);
    else rows.set(row.address, { ...row, line });
  }
  refuse(problems);
  if (rows.size === 0) throw new Failure("import_empty");
  return [...rows.values()];
}

/** Reads how much of a campaign is paid. */
export async function getPayoutProgress(
  { pointSystemId }: Member,
  { id }: Pick<Campaign, "id">,
): Promise<{ wallets: number; amountWei: bigint }> {
  const [row] = await withDatabase((db) =>
    db
      .select({
        wallets: sql<number>`count(*)::int`,
        amountWei: sql`coalesce(sum(${distributions.amountWei}), 0)`.mapWith(BigInt),
      })
      .from(distributions)
      .where(
        and(
          eq(distributions.pointSystemId, pointSystemId),
          eq(distributions.rewardId, id),
          isNotNull(distributions.claimedAt),
        ),
      ),
  );
  return row ?? { wallets: 0, amountWei: 0n };
}

/** Throws the first problem, if there is any, and the number of the others. */
function refuse(problems: readonly (readonly [{ line?: number }, PayoutProblem])[]): void {
  const [first, ...others] = problems;
  if (!first) return;
  const [{ line }, problem] = first;
  const where = line === undefined ? "" : `Line ${line}: `;
  const more = others.length === 0 ? "" : `, and ${others.length} more rows cannot be used`;
  throw new Failure("payouts_refused", { name: `${where}${PAYOUT_PROBLEMS[problem]}${more}` });
}

/** Selects the shares that some of the wallets have in a reward. */
function selectShares(
  { pointSystemId }: Member,
  rewardId: string,
  addresses: readonly Address[],
): SQL {
  const wallets = toArrayLiteral(addresses.map(toBytea));
  return sql`find_shares(${pointSystemId}::uuid, ${rewardId}::uuid, ${wallets}::bytea[])`;
}

const toAddresses = (rows: readonly Row[]) => rows.map(({ address }) => address);

async function findShares(
  executor: Executor,
  member: Member,
  rewardId: string,
  rows: readonly Row[],
): Promise<Map<Address, { claimedAt: string | null; reference: string | null }>> {
  const found = await executor.execute<{
    address: Address;
    claimedAt: string | null;
    reference: string | null;
  }>(sql`
    select '0x' || encode(s.address, 'hex') as address, s.claimed_at as "claimedAt",
      s.payout_reference as reference
    from ${selectShares(member, rewardId, toAddresses(rows))} s`);
  return new Map(found.map(({ address, ...share }) => [address, share]));
}

/** Changes shares of a campaign that is paid by hand, and records it. */
function changeShares(
  member: Editor,
  rewardId: string,
  action: Extract<AuditAction, "campaign.pay" | "campaign.unpay">,
  update: SQL,
  check?: (tx: Transaction, changed: readonly Address[]) => Promise<void>,
): Promise<number> {
  return takeCampaignStep(member, rewardId, ["distributed"], async (tx, campaign, audit) => {
    if (campaign.chainId !== null) throw new Failure("campaign_moved_on");
    const changed = await tx.execute<{ address: Address; reference: string }>(update);
    const addresses = changed.map(({ address }) => address);
    await check?.(tx, addresses);
    if (changed.length === 0) return 0;
    const references = [...new Set(changed.map(({ reference }) => reference))];
    await audit({
      action,
      subject: campaign.campaignId,
      [action === "campaign.pay" ? "after" : "before"]: {
        id: campaign.id,
        wallets: changed.length,
        addresses: addresses.slice(0, AUDITED_MAX),
        references: references.slice(0, AUDITED_MAX),
      },
    });
    return changed.length;
  });
}
