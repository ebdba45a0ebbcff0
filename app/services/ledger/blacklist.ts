import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import type { Transaction } from "../../db/client";
import type { AuditAction } from "../../domain/access/audit";
import type { Address } from "../../domain/address";
import { recordAudit } from "../access/audit-log";
import type { Editor, Member } from "../access/members";
import { sayEvent, sayEvents } from "../webhooks/outbox/say-event";
import { markWallets } from "./append";
import { moveHoldingsOfLinked } from "./move";
import { writeLedger } from "./write-ledger";

/** An address to blacklist, and the reason. */
export interface BlacklistAddition {
  readonly address: Address;
  readonly reason: string | null;
}

/**
 * The most addresses in one audit entry. For a change of more addresses, it holds their number and
 * the first ones.
 */
const AUDITED_ADDRESSES_MAX = 20;

/**
 * Adds addresses to a point system's blacklist. They earn no more points and leave the board.
 * @param additions the addresses, without repetitions
 * @returns the number that was added; an address that was there already keeps its reason and date
 */
export function addToBlacklist(
  member: Editor,
  additions: readonly BlacklistAddition[],
): Promise<number> {
  const { pointSystemId } = member;
  return writeLedger(pointSystemId, async (tx) => {
    const added: BlacklistAddition[] = [];
    for await (const batch of toBatches(additions)) {
      const rows = await tx.execute<{ address: Address; reason: string | null }>(sql`
        insert into blacklist (point_system_id, address, reason)
        select ${pointSystemId}::uuid, b.* from unnest(
          ${toArrayLiteral(batch.map(({ address }) => toBytea(address)))}::bytea[],
          ${toArrayLiteral(batch.map(({ reason }) => reason))}::text[]
        ) as b
        on conflict do nothing
        returning '0x' || encode(address, 'hex') as address, reason`);
      added.push(...rows);
    }
    await finishChange(tx, member, "blacklist.add", added);
    return added.length;
  });
}

/**
 * Removes addresses from the blacklist. They return to the board with the points that they had; those of a linked wallet
 * go to its primary one.
 * @param addresses each once
 * @returns the number that was removed
 * @throws {Failure} `points_limit_reached` when a primary wallet would have too many
 */
export function removeFromBlacklist(
  member: Editor,
  addresses: readonly Address[],
): Promise<number> {
  const { actor, pointSystemId } = member;
  return writeLedger(pointSystemId, async (tx) => {
    const removed: BlacklistAddition[] = [];
    for await (const batch of toBatches(addresses)) {
      const rows = await tx.execute<{ address: Address; reason: string | null }>(sql`
        select '0x' || encode(address, 'hex') as address, reason
        from remove_from_blacklist(${pointSystemId}::uuid, ${toArrayLiteral(batch.map(toBytea))}::bytea[])`);
      removed.push(...rows);
    }
    await finishChange(tx, member, "blacklist.remove", removed);
    for await (const batch of toBatches(removed)) {
      const pardoned = batch.map(({ address }) => address);
      const moved = await moveHoldingsOfLinked(tx, pointSystemId, pardoned, actor.operatorId);
      for (const each of moved) {
        const data = { ...each, linkedBy: "operator" };
        await sayEvent(tx, pointSystemId, "wallet.linked", data, actor);
      }
    }
    return removed.length;
  });
}

/** Updates the wallets, the totals and the audit log after a change of the blacklist. */
async function finishChange(
  tx: Transaction,
  { actor, pointSystemId }: Member,
  action: Extract<AuditAction, "blacklist.add" | "blacklist.remove">,
  changed: readonly BlacklistAddition[],
): Promise<void> {
  const [first, ...others] = changed;
  if (first === undefined) return;
  const isBlacklisted = action === "blacklist.add";
  const addresses = changed.map(({ address }) => address);
  for await (const batch of toBatches(addresses)) {
    await markWallets(tx, pointSystemId, batch, isBlacklisted);
  }
  const type = isBlacklisted ? "wallet.blacklisted" : "wallet.restored";
  await sayEvents(tx, pointSystemId, type, changed, (wallets) => ({ wallets }), actor);
  const reasons = new Set(changed.map(({ reason }) => reason));
  const fields = {
    addresses: addresses.slice(0, AUDITED_ADDRESSES_MAX),
    reason: reasons.size === 1 ? first.reason : `${reasons.size} reasons`,
  };
  await recordAudit(tx, actor, {
    pointSystemId,
    action,
    subject: others.length === 0 ? first.address : `${changed.length} addresses`,
    [isBlacklisted ? "after" : "before"]: fields,
  });
}
