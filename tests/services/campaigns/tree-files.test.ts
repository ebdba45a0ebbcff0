import { createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Hex } from "viem";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { buildMerkleTree } from "../../../app/domain/trees/merkle";
import { loader } from "../../../app/routes/claims/tree-file";
import type { Member } from "../../../app/services/access/members";
import { getCampaign } from "../../../app/services/campaigns/campaigns";
import { startRound, startSplit } from "../../../app/services/campaigns/splits";
import { findTreeFile, makeTreeFiles } from "../../../app/services/campaigns/tree-files";
import { getClaimOverview } from "../../../app/services/claims/overview";
import { addToBlacklist } from "../../../app/services/ledger/blacklist";
import { deletePointSystem } from "../../../app/services/point-systems/point-systems";
import { buildSplit, createActive, distribute } from "../../support/campaign-drafts";
import { findOwner, grant } from "../../support/operators";
import { callPublicLoader } from "../../support/pages";
import { createAddress, scene } from "../../support/scene";
import { other } from "../../support/test-database";

type Owner = Member<"owner">;
let lastId = 700_000n;

/** Creates a campaign whose split is built for wallets in trees of 16. */
async function createBuilt(wallets = 40) {
  const events = Array.from({ length: wallets }, (_, i) => ({
    address: createAddress(),
    points: i + 1,
  }));
  const { pointSystemId } = await scene({ events });
  const owner = await findOwner(pointSystemId);
  const { id } = await createActive(owner);
  await startSplit(owner, id, null);
  await buildSplit(owner, id, 16);
  const { campaignId } = await getCampaign(owner, id);
  return { owner, id, campaignId, events };
}

/** Puts a campaign on chain as the follower does: all trees of its rounds are funded. */
async function fund(owner: Owner, id: string, round = 0): Promise<void> {
  lastId += 1n;
  if (round === 0) {
    await distribute(owner, id, {
      onchainId: lastId,
      contractAddress: CAMPAIGN_CONTRACT_ADDRESS,
    });
  }
  await withDatabase((db) =>
    db.execute(sql`update merkle_buckets set funded_at = now()
      where point_system_id = ${owner.pointSystemId} and reward_id = ${id} and round = ${round}`),
  );
}

/** Lets the job run until it has nothing more to make. */
async function makeAll(): Promise<void> {
  while (await makeTreeFiles());
}

const read = (
  { pointSystemId }: Owner,
  campaign: string,
  query = "",
  headers: Record<string, string> = {},
) =>
  callPublicLoader(loader, { slug: pointSystemId, campaign }, { query, headers }).catch(
    (thrown: unknown) => thrown as Response,
  );

test("anyone reads the trees of a funded campaign, under a hash that names the bytes for ever", async () => {
  const { owner, id, campaignId, events } = await createBuilt();
  await makeAll();
  expect((await read(owner, campaignId)).status).toBe(404);
  expect(await findTreeFile(owner, id)).toBeNull();

  await fund(owner, id);
  await makeAll();
  const answer = await read(owner, campaignId);
  const text = await answer.text();
  const sha256 = createHash("sha256").update(text).digest("hex");
  expect(answer.headers.get("etag")).toBe(`"${sha256}"`);
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
  expect(await findTreeFile(owner, id)).toEqual({
    path: `/claim/${owner.pointSystemId}/${campaignId}/tree.json?sha256=${sha256}`,
    sha256,
  });
  const overview = await getClaimOverview(owner.pointSystemId, createAddress());
  expect(overview.rewards[0]?.treeFile?.sha256).toBe(sha256);

  const file = JSON.parse(text);
  const leaves = file.buckets.flatMap((bucket: { leaves: unknown[] }) => bucket.leaves);
  expect(leaves.map(([address]: [string]) => address).sort()).toEqual(
    events.map(({ address }) => address).sort(),
  );
  for (const bucket of file.buckets as { root: Hex; leaves: [`0x${string}`, number, string][] }[]) {
    const tree = bucket.leaves.map(([address, , amount]) => ({
      address,
      amountWei: BigInt(amount),
    }));
    expect(buildMerkleTree(tree).root).toBe(bucket.root);
  }
  expect(file.onchainId).toBe(String(lastId));

  const named = await read(owner, campaignId, `?sha256=${sha256}`);
  expect(named.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(await named.text()).toBe(text);
  const known = await read(owner, campaignId, "", { "If-None-Match": `"${sha256}"` });
  expect([known.status, await known.text()]).toEqual([304, ""]);
});

test("a campaign whose file cannot be made keeps no other one waiting, and its failure is told with its name", async () => {
  const campaigns = [await createBuilt(20), await createBuilt(20), await createBuilt(20)];
  for (const { owner, id } of campaigns) await fund(owner, id);
  const listMade = () =>
    Promise.all(campaigns.map(async ({ owner, id }) => (await findTreeFile(owner, id)) !== null));
  await other`
    create or replace function refuse_file() returns trigger language plpgsql as $$
    begin raise exception 'no'; end $$`;
  for (const [place, { id }] of campaigns.entries()) {
    await other`delete from tree_files where reward_id = any(${campaigns.map((each) => each.id)})`;
    await other.unsafe(`
      create or replace trigger refuse_file before insert on tree_files for each row
        when (new.reward_id = '${id}') execute function refuse_file()`);
    await expect(makeTreeFiles()).rejects.toMatchObject({
      errors: [
        {
          message: expect.stringContaining(id),
          cause: { message: expect.stringContaining("tree_files") },
        },
      ],
    });
    expect(await listMade()).toEqual(campaigns.map((_, n) => n !== place));
  }
  await other`drop trigger refuse_file on tree_files`;
  await makeAll();
  expect(await listMade()).toEqual([true, true, true]);
});

test("a round joins the file once all of its tokens are there; the file before stays", async () => {
  const { owner, id, campaignId } = await createBuilt(20);
  await fund(owner, id);
  await makeAll();
  const before = await (await read(owner, campaignId)).text();
  const newcomer = createAddress();
  await grant(owner, newcomer, 77);
  await startRound(owner, id, "5");
  await buildSplit(owner, id, 16);
  await makeAll();
  expect(await (await read(owner, campaignId)).text()).toBe(before);

  await fund(owner, id, 1);
  await makeAll();
  const after = await (await read(owner, campaignId)).text();
  expect(after).toContain(newcomer);
  expect(JSON.parse(after).rounds).toHaveLength(2);
  const sha256 = createHash("sha256").update(before).digest("hex");
  expect(await (await read(owner, campaignId, `?sha256=${sha256}`)).text()).toBe(before);
});

test("a chain that has the airdrop under another id makes another file, and the first again", async () => {
  const { owner, id, campaignId } = await createBuilt(20);
  await fund(owner, id);
  await makeAll();
  const first = await (await read(owner, campaignId)).text();
  const setId = (onchainId: bigint) =>
    withDatabase((db) =>
      db.execute(sql`update airdrops set onchain_id = ${onchainId.toString()}::numeric
        where point_system_id = ${owner.pointSystemId} and reward_id = ${id}`),
    );
  const { onchainId } = JSON.parse(first);
  lastId += 1n;
  await setId(lastId);
  await makeAll();
  expect(JSON.parse(await (await read(owner, campaignId)).text()).onchainId).toBe(String(lastId));
  await setId(BigInt(onchainId));
  await makeAll();
  expect(await (await read(owner, campaignId)).text()).toBe(first);
});

test("the file does not tell who is on the blacklist, and a deleted point system has none", async () => {
  const { owner, id, campaignId, events } = await createBuilt(20);
  await fund(owner, id);
  await makeAll();
  const before = await (await read(owner, campaignId)).text();
  const banned = { address: events[0]?.address ?? createAddress(), reason: "secret reason" };
  await addToBlacklist(owner, [banned]);
  expect(await (await read(owner, campaignId)).text()).toBe(before);
  for (const secret of ["secret reason", owner.actor.operatorId]) {
    expect(before).not.toContain(secret);
  }
  const { owner: stranger } = await createBuilt(3);
  expect((await read(stranger, campaignId)).status).toBe(404);
  for (const campaign of ["CMP-none", "%00", "CMP-\0", "x".repeat(5_000), id]) {
    expect((await read(owner, campaign)).status, campaign.slice(0, 20)).toBe(404);
  }
  for (const hash of ["", "0", randomBytes(32).toString("hex"), "g".repeat(64)]) {
    expect((await read(owner, campaignId, `?sha256=${hash}`)).status, hash).toBe(404);
  }
  await deletePointSystem(owner, (await getSystemName(owner)) ?? "");
  await expect
    .poll(async () => (await read(owner, campaignId)).status, { timeout: 10_000 })
    .toBe(404);
});

async function getSystemName({ pointSystemId }: Owner): Promise<string | undefined> {
  const [row] = await withDatabase((db) =>
    db.execute<{ name: string }>(sql`select name from point_systems where id = ${pointSystemId}`),
  );
  return row?.name;
}
