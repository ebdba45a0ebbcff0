import { expect, test } from "vitest";
import { listMembers } from "../../../app/services/accounts/memberships";
import { createOwner } from "../../support/operators";
import { createHash, createReward } from "../../support/rewards";
import { scene } from "../../support/scene";
import { countEntriesRead, countRowsRead, other, PLANNED_ROWS } from "../../support/test-database";

const ENTRIES = 20_000;

/** Writes many entries of others into a point system's audit log. */
async function fillAuditLog(pointSystemId: string): Promise<void> {
  await other`
    insert into audit_log (point_system_id, actor, action, subject, after)
    select ${pointSystemId}, 'x@example.com', 'points.grant', 'CMP-1', '{"points": 1}' from generate_series(1, ${ENTRIES})`;
  await other`analyze audit_log`;
}

test("the list of members reads no other entry of the audit log than the last transfer", async () => {
  const owner = await createOwner();
  await other`
    insert into audit_log (point_system_id, actor, action, subject, created_at)
    values (${owner.pointSystemId}, 'x@example.com', 'member.transfer', 'y@example.com', '2026-01-02')`;
  await fillAuditLog(owner.pointSystemId);
  const entries = await countEntriesRead("audit_log", async () => {
    // A connection may keep the plan of the sixth call.
    for (let n = 0; n < 10; n += 1) {
      expect(await listMembers(owner)).toMatchObject([{ since: new Date("2026-01-02") }]);
    }
  });
  expect(entries).toBeLessThan(10 * PLANNED_ROWS);
});

test("a transaction of a campaign is entered once, and looked for among those of campaigns alone", async () => {
  const reward = createReward();
  const { pointSystemId } = await scene({ rewards: [reward] });
  await fillAuditLog(pointSystemId);
  const { contractAddress, onchainId } = reward.airdrop;
  const contract = Buffer.from(contractAddress.slice(2), "hex");
  const hash = Buffer.from(createHash().slice(2), "hex");
  await other.begin(async (tx) => {
    await tx`
      insert into chain_logs (chain_id, contract, block_number, block_hash, log_index, tx_hash, mined_at, kind, onchain_id,
        account, fields)
      values (${reward.chainId}, ${contract}, 7, ${hash}, 0, ${hash}, now(), 'creation', ${onchainId}::numeric,
        ${contract}, '{}')`;
    const settle = () => tx`
      select settle_airdrop(${pointSystemId}, ${reward.id}, ${contract}::bytea, array[${hash}::bytea], '{}')`;
    await settle();
    const { rows } = await countRowsRead(tx, "audit_log", settle);
    const entered = await tx`
      select from audit_log where point_system_id = ${pointSystemId} and action = 'campaign.chain'`;
    expect(entered).toHaveLength(1);
    expect(rows).toBeLessThan(PLANNED_ROWS);
  });
});
