import { flushApiKeyUses } from "../services/api-key-usage";
import { followCampaign, settleTransaction } from "../services/campaign-follower";
import { removeOldDrafts, runImportBatch } from "../services/import-runner";
import { purgeDeletedPointSystem } from "../services/point-system-purge";
import { buildMissingRanks, foldWaitingRanks } from "../services/rank-counts";
import { flushRefusedCalls } from "../services/refused-calls";
import { foldStatistics } from "../services/statistics-fold";
import type { Job } from "./worker";

/** What runs beside the server. */
export const JOBS: readonly Job[] = [
  { name: "purge-point-systems", restMs: 30_000, run: purgeDeletedPointSystem },
  { name: "write-api-key-uses", restMs: 5_000, run: flushApiKeyUses },
  { name: "fold-statistics", restMs: 2_000, run: () => restAfter(foldStatistics) },
  { name: "flush-refused-calls", restMs: 5_000, run: flushRefusedCalls },
  { name: "run-imports", restMs: 1_000, run: runImportBatch },
  { name: "remove-old-drafts", restMs: 600_000, run: removeOldDrafts },
  { name: "find-creations", restMs: 3_000, run: followCampaign },
  { name: "settle-campaign-transactions", restMs: 5_000, run: settleTransaction },
  { name: "fold-ranks", restMs: 250, run: foldWaitingRanks },
  { name: "build-ranks", restMs: 30_000, run: buildMissingRanks },
];

/** Rests also when there is more to do: it leaves the processor to those who wait for an answer. */
async function restAfter(run: () => Promise<boolean>): Promise<boolean> {
  await run();
  return false;
}
