import { setMaxListeners } from "node:events";
import { eq } from "drizzle-orm";
import { BASE_COIN_TYPE, ETHEREUM_COIN_TYPE } from "../../chain/ens/protocol";
import { fetchRemoteScore } from "../../chain/scores/score-service";
import { withDatabase } from "../../db/client";
import { scoreWallets } from "../../db/schema/scores";
import type { Address } from "../../domain/address";
import { createDeadline } from "../../domain/deadline";
import { computeScore, type ScoreResult } from "../../domain/scores/score";
import { gatherActivity } from "./facts";
import { createProviderHooks } from "./providers";
import type { ScoreSettings } from "./settings";
import { findScoreSignals } from "./signals";

/** The deadline of an engine. A request waits at most 20 s in all. */
const ENGINE_DEADLINE_MS = 16_000;
/** The chains, by their coin types, on which a primary name counts. */
const COIN_TYPES = [ETHEREUM_COIN_TYPE, BASE_COIN_TYPE];
/** The time for which a known name is valid, as long as for a chain's facts. */
const NAME_GOOD_FOR_MS = 30 * 86_400_000;

/** The result of computing a score: the score, an answer of an engine without one, or no answer. */
export type EngineAnswer =
  | { readonly kind: "score"; readonly result: ScoreResult; readonly isComplete: boolean }
  | { readonly kind: "unusable" | "unavailable" };

/** Computes a new score of a wallet, by the engine of this process's settings. */
export async function runEngine(
  settings: ScoreSettings,
  address: Address,
  mode: "kept" | "forced" | "refresh",
): Promise<EngineAnswer> {
  using signal = createDeadline(ENGINE_DEADLINE_MS);
  // The calls to all chains listen to it at once, and there may be any number of chains.
  setMaxListeners(0, signal);
  if (settings.serviceUrl !== null) {
    const timeoutMs = ENGINE_DEADLINE_MS;
    const answer = await fetchRemoteScore(settings.serviceUrl, address, { signal, timeoutMs });
    if (answer.kind !== "score") return answer;
    const { explorer, missingChains = [] } = answer.result.dataSources;
    return { ...answer, isComplete: explorer && missingChains.length === 0 };
  }
  const hooks = createProviderHooks(mode === "refresh" ? "background" : "live", signal);
  const [activity, name, signals] = await Promise.all([
    gatherActivity(settings.chains, address, hooks, { isForced: mode === "forced" }),
    findName(settings.findPrimaryName, address),
    findScoreSignals(address).catch(() => null),
  ]);
  if (!activity.isReached) return { kind: "unavailable" };
  const result = computeScore({
    chains: activity.chains,
    hasPrimaryName: name.hasPrimaryName,
    missingChains: activity.missingChains,
    signals,
    now: new Date(),
  });
  return { kind: "score", result, isComplete: activity.missingChains.length === 0 && name.isKnown };
}

/**
 * Checks whether an address has a primary name. When a look-up fails, the earlier result is used.
 */
async function findName(
  findPrimaryName: ScoreSettings["findPrimaryName"],
  address: Address,
): Promise<{ hasPrimaryName: boolean; isKnown: boolean }> {
  const answers = await Promise.allSettled(
    COIN_TYPES.map((coinType) => findPrimaryName(address, coinType)),
  );
  const isNamed = answers.some((answer) => answer.status === "fulfilled" && answer.value !== null);
  if (isNamed || answers.every(({ status }) => status === "fulfilled")) {
    await withDatabase((db) =>
      db
        .update(scoreWallets)
        .set({ hasPrimaryName: isNamed, nameCheckedAt: new Date() })
        .where(eq(scoreWallets.address, address)),
    );
    return { hasPrimaryName: isNamed, isKnown: true };
  }
  const [known] = await withDatabase((db) =>
    db
      .select({
        hasPrimaryName: scoreWallets.hasPrimaryName,
        checkedAt: scoreWallets.nameCheckedAt,
      })
      .from(scoreWallets)
      .where(eq(scoreWallets.address, address)),
  );
  const checkedAt = known?.checkedAt ?? null;
  const isGood = checkedAt !== null && Date.now() - checkedAt.getTime() < NAME_GOOD_FOR_MS;
  // The owner of a name can make its look-ups fail for ever; an old score must not stay because of
  // that.
  return { hasPrimaryName: isGood && known?.hasPrimaryName === true, isKnown: checkedAt !== null };
}
