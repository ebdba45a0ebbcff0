import { sql } from "drizzle-orm";
import { hexToBytes, type PublicClient } from "viem";
import type { ChainHead } from "../../chain/campaigns/claim-logs";
import { readBlock } from "../../chain/rpc/answers";
import { withDatabase } from "../../db/client";
import { recordAudit } from "../access/audit-log";
import type { ChainContract } from "./store";

/** The airdrops that one call ends; each gets an audit entry of its own. */
const ENDED_MAX = 50;

/**
 * Ends the airdrops whose deadline has passed on chain, by the time of a final block: no later
 * block can hold a claim of them. Several processes may do so at once.
 */
export async function endOverdueAirdrops(
  { chainId, contract }: ChainContract,
  client: PublicClient,
  { minedAt, finalNumber }: ChainHead,
): Promise<void> {
  const isOpen = sql`a.chain_id = ${chainId} and a.contract_address = ${hexToBytes(contract)}
    and a.status = 'active'`;
  const ofReward = sql`r.point_system_id = a.point_system_id and r.id = a.reward_id`;
  const [due] = await withDatabase((db) =>
    db.execute<{ deadline: number }>(sql`
      select floor(extract(epoch from r.claim_deadline))::float8 as deadline
      from airdrops a join rewards r on ${ofReward}
      where ${isOpen} and r.claim_deadline < ${minedAt.toISOString()}::timestamptz
      order by r.claim_deadline limit 1`),
  );
  if (!due) return;
  const final = await readBlock(client, finalNumber);
  const nowOnChain = final.minedAt.getTime() / 1_000;
  if (nowOnChain <= due.deadline) return;
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      const ended = await tx.execute<{ pointSystemId: string; subject: string }>(sql`
        update airdrops a set status = 'ended'
        from rewards r
        where ${ofReward} and (a.point_system_id, a.reward_id) in (
          select a.point_system_id, a.reward_id
          from airdrops a join rewards r on ${ofReward}
          where ${isOpen} and floor(extract(epoch from r.claim_deadline)) < ${nowOnChain}
          order by r.claim_deadline limit ${ENDED_MAX}
          for update of a skip locked
        )
        returning a.point_system_id as "pointSystemId",
          coalesce(r.campaign_id, r.campaign_name) as subject`);
      for (const { pointSystemId, subject } of ended) {
        await recordAudit(tx, "background job", {
          pointSystemId,
          action: "campaign.ended",
          subject,
          after: { chainId, finalBlock: finalNumber },
        });
      }
    }),
  );
}
