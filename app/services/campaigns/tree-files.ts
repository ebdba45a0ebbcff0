import { createHash } from "node:crypto";
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import type { Database } from "../../db/pool";
import { airdrops, allocations, rewards, treeFiles } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import type { Member } from "../access/members";
import { nameTreeFile } from "../rewards/tree-file-name";
import { doOneByOne } from "../runtime/one-by-one";
import { exportTrees } from "./files";
import { writeTreeFile, writeTreeHead } from "./tree-text";

// The public file of a campaign's trees: every proof can be computed from it, also after this
// service's end. It has the rounds whose tokens are in the campaign contract, and nothing that is
// not public on chain or on the claim page.

/** A public file of trees, without its content. */
export interface TreeFile {
  readonly pointSystemId: string;
  readonly rewardId: string;
  readonly campaignId: string;
  /** The file's SHA-256 in hexadecimal digits. */
  readonly sha256: string;
  /** The file's length in bytes. */
  readonly length: number;
  readonly rounds: readonly number[];
  readonly head: string;
}

const CAMPAIGN_ID = /^CMP-[0-9A-Za-z_-]{1,32}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** Files in one run of the job. */
const FILES_A_RUN = 5;

/**
 * Finds a campaign's public file.
 * @param campaignId the campaign's `CMP-` id, as the browser sent it
 * @param sha256 the hash of one file; null for the newest one
 * @throws {Failure} `not_found`
 */
export async function getTreeFile(
  pointSystemId: string,
  campaignId: string,
  sha256: string | null,
): Promise<TreeFile> {
  const isPossible = CAMPAIGN_ID.test(campaignId) && (sha256 === null || SHA256.test(sha256));
  const [row] = isPossible
    ? await withDatabase((db) =>
        selectTreeFiles(db)
          .where(
            and(
              eq(rewards.pointSystemId, pointSystemId),
              eq(rewards.campaignId, campaignId),
              sha256 === null ? undefined : eq(treeFiles.sha256, Buffer.from(sha256, "hex")),
            ),
          )
          .orderBy(desc(treeFiles.madeAt))
          .limit(1),
      )
    : [];
  if (!row) throw new Failure("not_found");
  return toTreeFile(row);
}

/** Finds the name of a reward's newest public file, for its operators. */
export async function findTreeFile(
  { pointSystemId }: Member,
  rewardId: string,
): Promise<ReturnType<typeof nameTreeFile> | null> {
  const [row] = await withDatabase((db) =>
    selectTreeFiles(db)
      .where(and(eq(rewards.pointSystemId, pointSystemId), eq(rewards.id, rewardId)))
      .orderBy(desc(treeFiles.madeAt))
      .limit(1),
  );
  return row ? nameTreeFile(pointSystemId, row.campaignId, row.sha256) : null;
}

function selectTreeFiles(db: Database) {
  return db
    .select({
      pointSystemId: rewards.pointSystemId,
      rewardId: rewards.id,
      campaignId: sql<string>`${rewards.campaignId}`,
      sha256: treeFiles.sha256,
      length: treeFiles.length,
      rounds: treeFiles.rounds,
      head: treeFiles.head,
    })
    .from(treeFiles)
    .innerJoin(
      rewards,
      and(eq(rewards.pointSystemId, treeFiles.pointSystemId), eq(rewards.id, treeFiles.rewardId)),
    )
    .$dynamic();
}

const toTreeFile = <Row extends { readonly sha256: Uint8Array }>(row: Row) => ({
  ...row,
  sha256: Buffer.from(row.sha256).toString("hex"),
});

/**
 * Writes a public file in pieces, from the campaign's rows. Each time it is the same bytes.
 * @throws {Failure} `campaign_not_split` when the campaign was purged meanwhile
 */
export async function writePublicTrees(
  file: Pick<TreeFile, "pointSystemId" | "rewardId" | "rounds" | "head">,
): Promise<AsyncGenerator<string>> {
  const { pointSystemId, rewardId, rounds, head } = file;
  return writeTreeFile(head, await exportTrees({ pointSystemId }, { id: rewardId }, rounds));
}

/**
 * Makes the public files of campaigns whose tokens came into the contract: the whole file is read
 * once, for its hash.
 * @returns whether there may be more to make
 */
export async function makeTreeFiles(): Promise<boolean> {
  const missing = await listMissing();
  await doOneByOne(
    missing,
    ({ pointSystemId, rewardId }) => `The file of reward ${rewardId} of ${pointSystemId}`,
    makeTreeFile,
  );
  return missing.length === FILES_A_RUN;
}

interface FundedAirdrop {
  readonly pointSystemId: string;
  readonly rewardId: string;
  readonly rounds: readonly number[];
}

/**
 * Lists airdrops on chain whose newest file is not of their funded rounds. An airdrop whose newest
 * file has all of its rounds is not looked at again, unless the chain has it under another id.
 */
async function listMissing(): Promise<FundedAirdrop[]> {
  const rows = await withDatabase((db) =>
    db.execute<{ pointSystemId: string; rewardId: string; rounds: string }>(sql`
      select a.point_system_id as "pointSystemId", a.reward_id as "rewardId",
        array_to_string(funded.rounds, ',') as rounds
      from airdrops a
      join point_systems p on p.id = a.point_system_id and p.deleted_at is null
      left join lateral (
        select t.rounds, t.contract_address, t.onchain_id from tree_files t
        where t.point_system_id = a.point_system_id and t.reward_id = a.reward_id
        order by t.made_at desc limit 1
      ) newest on true
      cross join lateral (
        select greatest(1, count(*)) as rounds from allocations o
        where o.point_system_id = a.point_system_id and o.reward_id = a.reward_id
          and o.status = 'built'
      ) built
      cross join lateral (
        select array_agg(round order by round) as rounds from (
          select b.round from merkle_buckets b
          where b.point_system_id = a.point_system_id and b.reward_id = a.reward_id
          group by b.round having bool_and(b.root is not null and b.funded_at is not null)
        ) whole
      ) funded
      where a.onchain_id is not null and a.contract_address is not null
        and (newest.rounds is null or cardinality(newest.rounds) < built.rounds
          or newest.contract_address <> a.contract_address or newest.onchain_id <> a.onchain_id)
        and funded.rounds is not null
        and (newest.rounds is distinct from funded.rounds
          or newest.contract_address <> a.contract_address or newest.onchain_id <> a.onchain_id)
      order by random() limit ${FILES_A_RUN}`),
  );
  return rows.map((row) => ({ ...row, rounds: row.rounds.split(",").map(Number) }));
}

async function makeTreeFile({ pointSystemId, rewardId, rounds }: FundedAirdrop): Promise<void> {
  const found = await readHead(pointSystemId, rewardId, rounds);
  if (!found) return;
  const { head, contractAddress, onchainId } = found;
  const hash = createHash("sha256");
  let length = 0;
  for await (const piece of await writePublicTrees({ pointSystemId, rewardId, rounds, head })) {
    hash.update(piece);
    length += Buffer.byteLength(piece);
  }
  const key = { pointSystemId, rewardId, sha256: hash.digest() };
  const row = { ...key, contractAddress, onchainId, rounds: [...rounds], head, length };
  // A chain that went back to an older state makes an older file the newest one again.
  await withDatabase((db) =>
    db
      .insert(treeFiles)
      .values(row)
      .onConflictDoUpdate({
        target: [treeFiles.pointSystemId, treeFiles.rewardId, treeFiles.sha256],
        set: { madeAt: sql`clock_timestamp()` },
      }),
  );
}

async function readHead(pointSystemId: string, rewardId: string, rounds: readonly number[]) {
  return withDatabase(async (db) => {
    const [row] = await db
      .select({
        campaignId: sql<string>`${rewards.campaignId}`,
        campaignName: rewards.campaignName,
        rewardId: rewards.id,
        chainId: airdrops.chainId,
        contractAddress: airdrops.contractAddress,
        onchainId: airdrops.onchainId,
        tokenType: sql<string>`${rewards.tokenType}`,
        tokenAddress: rewards.tokenAddress,
        tokenSymbol: sql<string>`${rewards.tokenSymbol}`,
        tokenDecimals: sql<number>`${rewards.tokenDecimals}`,
        totalAmountWei: sql<string>`${rewards.totalAmountWei}::text`,
        minPoints: rewards.minPoints,
        maxPoints: rewards.maxPoints,
        // The deadline of the creation: a later one can be read from the chain.
        claimDeadline:
          sql<Date | null>`coalesce(${airdrops.plannedDeadline}, ${rewards.claimDeadline})`.mapWith(
            rewards.claimDeadline,
          ),
      })
      .from(airdrops)
      .innerJoin(
        rewards,
        and(eq(rewards.pointSystemId, airdrops.pointSystemId), eq(rewards.id, airdrops.rewardId)),
      )
      .where(and(eq(airdrops.pointSystemId, pointSystemId), eq(airdrops.rewardId, rewardId)));
    if (!row?.contractAddress || row.onchainId === null) return null;
    const { contractAddress, onchainId, ...terms } = row;
    const splits = await db
      .select({
        round: allocations.round,
        totalAmountWei: sql<string>`${allocations.totalAmountWei}::text`,
        totalWeight: sql<string | null>`${allocations.totalWeight}::text`,
        wallets: allocations.wallets,
        bucketSize: allocations.bucketSize,
        snapshotAt: allocations.snapshotAt,
      })
      .from(allocations)
      .where(
        and(
          eq(allocations.pointSystemId, pointSystemId),
          eq(allocations.rewardId, rewardId),
          inArray(allocations.round, [...rounds]),
        ),
      )
      .orderBy(asc(allocations.round));
    const head = writeTreeHead({
      ...terms,
      contractAddress,
      onchainId: onchainId.toString(),
      // The admin can change on chain.
      adminAddress: null,
      rounds: splits,
    });
    return { head, contractAddress: contractAddress as Address, onchainId };
  });
}
