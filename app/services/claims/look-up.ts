import { and, isNotNull, isNull, sql } from "drizzle-orm";
import { hotQuery } from "../../db/client";
import { distributions, merkleBuckets } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { waitInTime } from "../../domain/deadline";
import { Failure } from "../../domain/failure";
import { listClaimEntries } from "../rewards/claim-entries";
import { getClaimProof } from "../rewards/proof";
import { isBucketOfShare, selectSharesOfWallet } from "../trees/proofs";
import { getClaimOverview } from "./overview";

/** The most proofs in one answer; the page asks for the others one by one. */
const PROOFS_MAX = 100;
const PROOFS_AT_ONCE = 8;
/** The time for all proofs: a large tree that is still being built is not waited for. */
const PROOFS_MS = 1_500;

type Entry = Awaited<ReturnType<typeof listClaimEntries>>[number];
type TokenEntry = Extract<Entry, { kind: "token" }>;

/** The shares whose tree is built, and whose tokens are not in the contract. */
const selectUnfunded = hotQuery((db) => {
  const tree = db
    .select({ bucket: merkleBuckets.bucket })
    .from(merkleBuckets)
    .where(and(isBucketOfShare(), isNotNull(merkleBuckets.root), isNull(merkleBuckets.fundedAt)))
    .limit(1)
    .as("tree");
  return db
    .select({ id: distributions.id })
    .from(
      selectSharesOfWallet(
        db,
        sql.placeholder("pointSystemId"),
        sql.param(sql.placeholder("address"), distributions.address),
      ),
    )
    .innerJoinLateral(tree, sql`true`)
    .prepare("list_unfunded_shares");
});

/**
 * Reads everything that the claim page shows of a wallet: its overview, its shares, and the proofs
 * of those that can be claimed. A share without a proof here may have one in GET /rewards/proof.
 * A share of nothing is in the overview only.
 */
export async function lookUpWallet(pointSystemId: string, address: Address) {
  const [overview, listed] = await Promise.all([
    getClaimOverview(pointSystemId, address),
    listClaimEntries(pointSystemId, address),
  ]);
  const entries = listed.filter((entry) => entry.kind !== "token" || entry.amountWei !== "0");
  const isAnyOpen = entries.some((entry) => entry.kind === "token" && !entry.hasProof);
  const [proofs, unfunded] = await Promise.all([
    collectProofs(entries, address),
    isAnyOpen ? selectUnfunded({ pointSystemId, address }) : [],
  ]);
  const shares = entries.map((entry) => {
    if (entry.kind !== "token") return entry;
    const { distributionId } = entry;
    const isUnfunded = unfunded.some(({ id }) => id === distributionId);
    return { ...entry, isUnfunded, proof: proofs.get(distributionId) ?? null };
  });
  return { ...overview, distributions: shares };
}

type PageProof = { readonly amount: string; readonly merkleProof: readonly string[] };

async function collectProofs(
  entries: readonly Entry[],
  address: Address,
): Promise<Map<string, PageProof>> {
  const provable = entries
    .filter((entry): entry is TokenEntry => entry.kind === "token" && entry.hasProof)
    // Those that can be claimed come first.
    .toSorted((a, b) => Number(a.claimedAt !== null) - Number(b.claimedAt !== null))
    .slice(0, PROOFS_MAX);
  const proofs = new Map<string, PageProof>();
  const endsAt = performance.now() + PROOFS_MS;
  for (let next = 0; next < provable.length; next += PROOFS_AT_ONCE) {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) break;
    const some = provable.slice(next, next + PROOFS_AT_ONCE).map(async (entry) => {
      const { chainId, onchainId, distributionId } = entry;
      const proof = await getClaimProof(chainId, BigInt(onchainId), address);
      // Ids are unique in one contract only: a proof may be that of a share in another one.
      if (proof.distributionId !== distributionId) return;
      const { amountWei, merkleProof } = proof;
      proofs.set(distributionId, { amount: amountWei.toString(), merkleProof });
    });
    await waitInTime(
      Promise.allSettled(some),
      leftMs,
      () => new Failure("service_unavailable"),
    ).catch(() => {});
  }
  return proofs;
}
