import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { getCampaign } from "../../../app/services/campaigns/campaigns";
import { findWalletShare } from "../../../app/services/campaigns/wallets";
import { lookUpWallet } from "../../../app/services/claims/look-up";
import { listWalletRewards } from "../../../app/services/rewards/wallet-rewards";
import { findOwner } from "../../support/operators";
import { createReward, createShare } from "../../support/rewards";
import { scene } from "../../support/scene";
import {
  changeUnguarded,
  countEntriesRead,
  countRowsRead,
  other,
  PLANNED_ROWS,
} from "../../support/test-database";

const SHARES = 20_000;
const CLAIMS = 20;
const CHAIN = 84532;

beforeAll(async () => {
  await other`alter table distributions set (autovacuum_enabled = off)`;
  await other`alter table chain_logs set (autovacuum_enabled = off)`;
});

/** Creates an active campaign of many wallets, whose trees but one are not funded. */
async function createLargeCampaign() {
  const share = createShare();
  const reward = createReward({ distributions: [share] });
  const { get, pointSystemId } = await scene({ rewards: [reward] });
  await other`
    insert into merkle_buckets (point_system_id, reward_id, bucket, root, total_amount_wei)
    select ${pointSystemId}, ${reward.id}, n, sha256(n::text::bytea), 128
    from generate_series(1, ${Math.ceil(SHARES / 128)}) n`;
  await other`
    insert into distributions (point_system_id, reward_id, address, amount_wei, bucket, leaf_index)
    select ${pointSystemId}, ${reward.id}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1, 1 + n / 128, n % 128
    from generate_series(1, ${SHARES}) n`;
  return { get, pointSystemId, reward, share, unfunded: `0x${"7".padStart(40, "0")}` as const };
}

/** Analyzes the shares while each campaign has one: a later campaign looks as if it had one, too. */
async function analyzeSmallCampaigns(): Promise<void> {
  await changeUnguarded(async (tx) => {
    await tx`delete from distributions`;
    await tx`
      insert into distributions (point_system_id, reward_id, address, amount_wei, bucket, leaf_index)
      select ${randomUUID()}, gen_random_uuid(), decode(lpad(to_hex(n % 3), 40, '0'), 'hex'), 1, 0, 0
      from generate_series(1, 2000) n`;
  });
  await other`vacuum analyze distributions`;
}

test("a proof, a wallet's pages and its claims read no share of others, whatever the statistics say", async () => {
  for (const statistics of ["none", "old", "of small campaigns"]) {
    const { get, pointSystemId, reward, share, unfunded } = await createLargeCampaign();
    const owner = await findOwner(pointSystemId);
    const campaign = await getCampaign(owner, reward.id);
    const { onchainId } = reward.airdrop;
    const { address } = share;
    const looks = {
      page: async () =>
        expect(await findWalletShare(owner, campaign, address)).toMatchObject({ id: share.id }),
      list: async () => expect(await listWalletRewards(owner, address)).toHaveLength(1),
      proof: async () => {
        const query = { chainId: String(CHAIN), onchainId, address };
        expect(await get("/rewards/proof", query)).toMatchObject({ status: 200 });
      },
      claims: async () =>
        expect(await get("/rewards/claim-status", { address })).toMatchObject({ status: 200 }),
      rewards: async () => {
        const { body } = await get("/rewards", { address });
        expect(body.rewards.eligible).toHaveLength(1);
      },
      look: async () =>
        expect((await lookUpWallet(pointSystemId, unfunded)).distributions).toMatchObject([
          { isUnfunded: true },
        ]),
    };
    const tooMany: Record<string, number> = {};
    for (const [name, look] of Object.entries(looks)) {
      const entries = await countEntriesRead("distributions", look);
      if (entries >= 100) tooMany[name] = entries;
    }
    expect.soft(tooMany, statistics).toEqual({});
    if (statistics === "none") await other`analyze distributions`;
    else await analyzeSmallCampaigns();
  }
});

test("claims read as many shares and logs as they have, with a plan from before there were many", async () => {
  await analyzeSmallCampaigns();
  const { reward } = await createLargeCampaign();
  const { contractAddress, onchainId } = reward.airdrop;
  const contract = Buffer.from(contractAddress.slice(2), "hex");
  const read = await other.begin(async (tx) => {
    const settle = () => tx`
      select settle_claims(${CHAIN}, array_fill(${contract}::bytea, array[${CLAIMS}::int]),
        array_fill(${onchainId}::numeric, array[${CLAIMS}::int]),
        (select array_agg(decode(lpad(to_hex(n), 40, '0'), 'hex')) from generate_series(1, ${CLAIMS}) n))`;
    // The sixth call's plan stays.
    for (let n = 0; n < 6; n += 1) await settle();
    await tx`
      insert into chain_logs (chain_id, contract, block_number, block_hash, log_index, tx_hash, mined_at, kind, onchain_id,
        account, amount_wei, root)
      select ${CHAIN}, ${contract}, n, sha256(n::text::bytea), 0, sha256(n::text::bytea), now(), 'claim',
        ${onchainId}::numeric, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 + n % 2, sha256((1 + n / 128)::text::bytea)
      from generate_series(1, ${SHARES}) n`;
    const shares = await countRowsRead(tx, "distributions", () =>
      countRowsRead(tx, "chain_logs", settle),
    );
    const [settled] = await tx`
      select count(*)::int as claimed, (
        select count(*)::int from chain_logs where problem = 'amount_differs'
      ) as refused
      from distributions where reward_id = ${reward.id} and claimed_at is not null`;
    expect(settled).toEqual({ claimed: CLAIMS / 2, refused: CLAIMS / 2 });
    return { shares: shares.rows, logs: shares.answer.rows };
  });
  expect(read.shares).toBeLessThan(3 * CLAIMS + PLANNED_ROWS);
  expect(read.logs).toBeLessThan(3 * CLAIMS + PLANNED_ROWS);
});
