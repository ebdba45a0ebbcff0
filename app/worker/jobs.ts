import { flushApiKeyUses } from "../services/api-key-usage";
import { failAbandonedAllocations } from "../services/campaign-build";
import { followCampaign, settleTransaction } from "../services/campaign-follower";
import { removeOldEnsAnswers } from "../services/ens-store";
import { removeOldNonces } from "../services/gift-card-signatures";
import { removeOldDrafts, runImportBatch } from "../services/import-runner";
import { maintainQueue } from "../services/job-queue";
import { purgeDeletedPointSystem } from "../services/point-system-purge";
import { removeOldPublicCalls } from "../services/public-limit";
import { buildMissingRanks, foldWaitingRanks } from "../services/rank-counts";
import { flushRefusedCalls } from "../services/refused-calls";
import { removeOldScores } from "../services/score-rows";
import { foldStatistics } from "../services/statistics-fold";
import type { Job } from "./worker";

/** What writes down what a serving process has counted in memory: it runs in each of them. */
export const SERVER_JOBS: readonly Job[] = [
  { name: "write-api-key-uses", restMs: 5_000, run: flushApiKeyUses },
  { name: "flush-refused-calls", restMs: 5_000, run: flushRefusedCalls },
];

/** What any process may do: beside the server, or in a worker of its own. */
export const JOBS: readonly Job[] = [
  { name: "purge-point-systems", restMs: 30_000, run: purgeDeletedPointSystem },
  { name: "fold-statistics", restMs: 2_000, run: () => restAfter(foldStatistics) },
  { name: "remove-old-public-calls", restMs: 60_000, run: removeOldPublicCalls },
  { name: "run-imports", restMs: 1_000, run: runImportBatch },
  { name: "remove-old-drafts", restMs: 600_000, run: removeOldDrafts },
  { name: "find-creations", restMs: 3_000, run: followCampaign },
  { name: "settle-campaign-transactions", restMs: 5_000, run: settleTransaction },
  { name: "fold-ranks", restMs: 250, run: foldWaitingRanks },
  { name: "build-ranks", restMs: 30_000, run: buildMissingRanks },
  { name: "maintain-queue", restMs: 15_000, run: maintainQueue },
  { name: "fail-abandoned-allocations", restMs: 60_000, run: failAbandonedAllocations },
  { name: "remove-old-ens-answers", restMs: 60_000, run: removeOldEnsAnswers },
  { name: "remove-old-gift-card-nonces", restMs: 60_000, run: removeOldNonces },
  { name: "remove-old-scores", restMs: 3_600_000, run: removeOldScores },
];

/** Rests also when there is more to do: it leaves the processor to those who wait for an answer. */
async function restAfter(run: () => Promise<boolean>): Promise<boolean> {
  await run();
  return false;
}
