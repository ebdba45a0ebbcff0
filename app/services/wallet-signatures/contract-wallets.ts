import { eq } from "drizzle-orm";
import { listConfiguredChainIds } from "../../chain/rpc/chains";
import { inTransaction, withDatabase } from "../../db/client";
import { pointSystems } from "../../db/schema/point-systems";
import { isRewardChainId, type RewardChainId } from "../../domain/rewards/reward-chain";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";

// A contract wallet has one address on many chains, and may have other owners on each: a former owner
// can deploy it again with the old owners. So its signature counts on one chain, and whoever reveals
// a card does not choose which.

/**
 * Finds the only chain on which signatures of contract wallets count for a point system: the
 * owner's choice, or else the only chain that this service reads. Returns null when there is none.
 */
export async function findContractWalletChain(
  pointSystemId: string,
): Promise<RewardChainId | null> {
  const configured = listConfiguredChainIds();
  const chosen = await readChoice(pointSystemId);
  if (chosen === null) return configured.length === 1 ? (configured[0] ?? null) : null;
  return configured.find((id) => id === chosen) ?? null;
}

/** Returns the owner's choice, and the chains to choose from. */
export async function getContractWalletChoice({ pointSystemId }: Member) {
  return { chosen: await readChoice(pointSystemId), chainIds: listConfiguredChainIds() };
}

/** Chooses the chain on which signatures of contract wallets count; null for no chain by name. */
export async function chooseContractWalletChain(
  { actor, pointSystemId }: Member<"owner">,
  chainId: RewardChainId | null,
): Promise<void> {
  await inTransaction(async (tx) => {
    const [before] = await tx
      .select({
        contractWalletChainId: pointSystems.contractWalletChainId,
        name: pointSystems.name,
      })
      .from(pointSystems)
      .where(eq(pointSystems.id, pointSystemId))
      .for("update");
    await tx
      .update(pointSystems)
      .set({ contractWalletChainId: chainId })
      .where(eq(pointSystems.id, pointSystemId));
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "point_system.update",
      subject: before?.name ?? "",
      before: { contractWalletChainId: before?.contractWalletChainId ?? null },
      after: { contractWalletChainId: chainId },
    });
  });
}

async function readChoice(pointSystemId: string): Promise<RewardChainId | null> {
  const [row] = await withDatabase((db) =>
    db
      .select({ chainId: pointSystems.contractWalletChainId })
      .from(pointSystems)
      .where(eq(pointSystems.id, pointSystemId)),
  );
  const chainId = row?.chainId ?? null;
  return chainId !== null && isRewardChainId(chainId) ? chainId : null;
}
