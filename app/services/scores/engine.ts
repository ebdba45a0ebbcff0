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

/** A request waits 20 s at most, for everything. */
const ENGINE_DEADLINE_MS = 16_000;
/** On which a primary name counts. */
const COIN_TYPES = [ETHEREUM_COIN_TYPE, BASE_COIN_TYPE];
/** What was found out of a name holds so long, as what was of a chain does. */
const NAME_GOOD_FOR_MS = 30 * 86_400_000;

/** What became of computing a score: it, an answer of an engine that holds none, or no answer. */
export type EngineAnswer =
  | { readonly kind: "score"; readonly result: ScoreResult; readonly isComplete: boolean }
  | { readonly kind: "unusable" | "unavailable" };

/** Computes a wallet's score anew, by the engine that this process is set up with. */
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
    return { ...answer, isComplete: answer.result.dataSources.explorer };
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
    isExplorerAvailable: activity.isComplete,
    signals,
    now: new Date(),
  });
  return { kind: "score", result, isComplete: activity.isComplete && name.isKnown };
}

/** Whether it has a primary name; what was known before, when that cannot be found out. */
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
  // An owner can make look-ups of a name fail, for ever: no old score is to stand for that.
  return { hasPrimaryName: isGood && known?.hasPrimaryName === true, isKnown: checkedAt !== null };
}
