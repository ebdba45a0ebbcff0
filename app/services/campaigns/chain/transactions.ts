import { sql } from "drizzle-orm";
import { getAddress, type Hex, hexToBytes } from "viem";
import { findCampaignTransaction } from "../../../chain/campaigns/events";
import { decodeEvent } from "../../../chain/campaigns/logs";
import { getCampaignContract } from "../../../chain/rpc/chains";
import { type Executor, withDatabase } from "../../../db/client";
import { toCampaignRef } from "../../../domain/campaigns/ref";
import { Failure } from "../../../domain/failure";
import type { Editor } from "../../access/members";
import { lookNow } from "../../follower/follower";
import type { RewardKey } from "../../trees/buckets";
import { listStrays } from "./logs";
import { type ChainCampaign, selectChainCampaign, toRewardKey } from "./page";

/** The longest wait for the look that a report asks for. */
const LOOK_MS_MAX = 8_000;

const refuse = (name: string): never => {
  throw new Failure("transaction_unsuitable", { name });
};

/**
 * Has the chain looked at now, for a campaign's transaction: its creation, more buckets, its end, a
 * refund, another admin or deadline, and for a change of a stray. The hash only says where to look, and nothing is stored by it.
 * @throws {Failure} `not_found`, `campaign_not_built`, `transaction_reverted`;
 *   `transaction_unknown` while it is in no block that is read; `transaction_unsuitable`, which
 *   names the difference
 * @returns whether the transaction created the campaign
 */
export async function reportTransaction(
  member: Editor,
  rewardId: string,
  hash: Hex,
): Promise<{ isCreated: boolean; chainId: ChainCampaign["chainId"] }> {
  const key = toRewardKey(member, rewardId);
  const [campaign, strays] = await withDatabase(async (db) => {
    const selected = await selectChainCampaign(db, key);
    return [selected, await listStrays(db, selected)] as const;
  });
  const { chainId } = campaign;
  const transaction = await findCampaignTransaction(chainId, hash);
  if (!transaction) throw new Failure("transaction_unknown");
  if (transaction.isReverted) throw new Failure("transaction_reverted");
  const { airdropStatus } = campaign;
  if (airdropStatus === null || airdropStatus === "building") {
    throw new Failure("campaign_not_built");
  }
  const events = transaction.logs.flatMap((log) => {
    const event = decodeEvent(log);
    return event ? { contract: log.address, ...event } : [];
  });
  const isOfCampaign = campaign.onchainId === null ? isCreation : isChange;
  const isOfStray = strays.some(
    (stray) =>
      events.every(({ kind }) => kind !== "creation") &&
      events.some(
        ({ contract, onchainId }) =>
          contract === stray.contract && String(onchainId) === stray.onchainId,
      ),
  );
  if (!isOfStray && !events.some((event) => isOfCampaign(campaign, event))) {
    refuse(
      campaign.onchainId === null ? nameOtherCreation(campaign, events) : "it does not change it",
    );
  }
  const isFirst = campaign.onchainId === null && campaign.adminAddress !== null;
  const isStored = () => withDatabase((db) => isKnown(db, chainId, hash));
  const asked = { block: transaction.block.number, isFirst };
  if (!(await lookNow(chainId, asked, isStored, LOOK_MS_MAX))) {
    throw new Failure("transaction_unknown");
  }
  if (isOfStray) return { isCreated: false, chainId };
  const reason = await withDatabase((db) => explainRefusal(db, key, hash));
  if (reason !== null) refuse(reason);
  return { isCreated: campaign.onchainId === null, chainId };
}

type Event = NonNullable<ReturnType<typeof decodeEvent>> & { readonly contract: string };

const isCreation = ({ chainId, rewardId }: ChainCampaign, { contract, kind, fields }: Event) =>
  kind === "creation" &&
  contract === getCampaignContract(chainId) &&
  fields?.ref === toCampaignRef(rewardId);

const isChange = (
  { contractAddress, onchainId: id }: ChainCampaign,
  { contract, kind, onchainId }: Event,
) => kind !== "claim" && contract === contractAddress && onchainId === id;

function nameOtherCreation({ chainId }: ChainCampaign, events: readonly Event[]): string {
  const creations = events.filter(({ kind }) => kind === "creation");
  if (creations.length === 0) return "it creates nothing";
  const isHere = creations.some(({ contract }) => contract === getCampaignContract(chainId));
  return isHere ? "it creates another campaign" : "it went to another contract";
}

async function isKnown(executor: Executor, chainId: number, hash: Hex): Promise<boolean> {
  const [row] = await executor.execute(sql`
    select from chain_logs
    where chain_id = ${chainId} and tx_hash = ${hexToBytes(hash)} and kind <> 'claim' limit 1`);
  return row !== undefined;
}

/** Tells why no log of a transaction is the campaign's own; null when one is. */
async function explainRefusal(
  executor: Executor,
  { pointSystemId, rewardId }: RewardKey,
  hash: Hex,
): Promise<string | null> {
  const rows = await executor.execute<{ isOwn: boolean; reason: string | null }>(sql`
    select coalesce((l.contract, l.onchain_id) = (a.contract_address, a.onchain_id), false)
        as "isOwn",
      case when l.kind = 'creation' then judge_creation(a.point_system_id, a.reward_id, l) end
        as reason
    from airdrops a
    join chain_logs l on l.chain_id = a.chain_id and l.tx_hash = ${hexToBytes(hash)}
      and l.kind <> 'claim'
    where a.point_system_id = ${pointSystemId} and a.reward_id = ${rewardId}
      and (l.kind <> 'creation' or l.fields ->> 'ref' = ${toCampaignRef(rewardId)})`);
  if (rows.some(({ isOwn }) => isOwn)) return null;
  const reason = rows.find((row) => row.reason !== null)?.reason;
  if (reason == null) return "another creation with its reference is the campaign";
  return reason.replace(/0x[0-9a-f]{40}/, (address) => getAddress(address));
}
