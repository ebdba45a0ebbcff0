import { flushApiKeyUses } from "../services/access/api-key-usage";
import { activityFold } from "../services/activity/activity-fold";
import { queueAbandonedFills } from "../services/board/board-fill";
import { closeEndedBoards } from "../services/board/ended-boards";
import { keepBoardDays } from "../services/board/kept-ranks";
import { buildMissingRanks, ranksFold } from "../services/board/rank-counts";
import { failAbandonedAllocations } from "../services/campaigns/build/order";
import { makeTreeFiles } from "../services/campaigns/tree-files";
import { removeOldEnsAnswers } from "../services/ens/store";
import { sealOldCodes } from "../services/gift-cards/rotation";
import { failAbandonedImports, removeOldDrafts } from "../services/imports/runner";
import { programFold } from "../services/insights/program-fold";
import { flushRefusedCalls, removeOldRefusedCalls } from "../services/insights/refused-calls";
import { flushRequestLog, removeOldRequests } from "../services/insights/request-log";
import { statisticsFold } from "../services/insights/statistics-fold";
import { turnIdempotencyRecords } from "../services/ledger/idempotency-records";
import { removeOldCapCounts } from "../services/point-systems/cap-counts";
import type { Fold } from "../services/point-systems/fold";
import { queueAbandonedRemovals } from "../services/point-systems/purge";
import { streaksFold } from "../services/progress/streak-fold";
import { removeDeletedStreakDays } from "../services/progress/streaks";
import { tiersFold } from "../services/progress/tier-changes";
import { findDueWork } from "../services/runtime/due-work";
import { bringTimesBack } from "../services/runtime/future-times";
import { maintainQueue } from "../services/runtime/job-queue";
import { removeOldPublicCalls } from "../services/runtime/public-limit";
import { removeOldScores } from "../services/scores/rows";
import { removeOldNonces } from "../services/wallet-signatures/nonces";
import { removeOldDeliveries, removeOldTraces } from "../services/webhooks/deliveries";
import type { Job } from "./worker";

/**
 * Jobs that write a serving process's counts from memory to the database. They run in every such
 * process.
 */
export const SERVER_JOBS: readonly Job[] = [
  { name: "write-api-key-uses", restMs: 5_000, run: flushApiKeyUses },
  { name: "flush-refused-calls", restMs: 5_000, run: flushRefusedCalls },
  { name: "flush-request-log", restMs: 5_000, run: flushRequestLog },
];

/** Jobs that any process may run: beside the server, or in a separate worker. */
export const JOBS: readonly Job[] = [
  { name: "queue-abandoned-removals", restMs: 3_600_000, run: queueAbandonedRemovals },
  { name: "queue-abandoned-fills", restMs: 60_000, run: queueAbandonedFills },
  { name: "fold-statistics", restMs: 2_000, run: (report) => foldAtRest(statisticsFold, report) },
  { name: "fold-program", restMs: 1_000, run: (report) => foldAtRest(programFold, report) },
  { name: "remove-old-public-calls", restMs: 60_000, run: removeOldPublicCalls },
  { name: "fail-abandoned-imports", restMs: 60_000, run: failAbandonedImports },
  { name: "remove-old-drafts", restMs: 600_000, run: removeOldDrafts },
  { name: "fold-ranks", restMs: 250, run: (report) => fold(ranksFold, report) },
  { name: "close-ended-boards", restMs: 5_000, run: closeEndedBoards },
  { name: "keep-board-days", restMs: 60_000, run: keepBoardDays },
  { name: "fold-activity", restMs: 1_000, run: (report) => fold(activityFold, report) },
  { name: "fold-streaks", restMs: 1_000, run: (report) => fold(streaksFold, report) },
  { name: "fold-tiers", restMs: 1_000, run: (report) => fold(tiersFold, report) },
  { name: "build-ranks", restMs: 600_000, run: (_, signal) => buildMissingRanks(signal) },
  { name: "maintain-queue", restMs: 15_000, run: maintainQueue },
  { name: "bring-times-back", restMs: 30_000, run: bringTimesBack },
  { name: "fail-abandoned-allocations", restMs: 60_000, run: failAbandonedAllocations },
  { name: "make-tree-files", restMs: 10_000, run: makeTreeFiles },
  { name: "remove-old-ens-answers", restMs: 60_000, run: removeOldEnsAnswers },
  { name: "remove-old-nonces", restMs: 60_000, run: removeOldNonces },
  { name: "seal-old-gift-cards", restMs: 3_600_000, run: sealOldCodes },
  { name: "remove-old-cap-counts", restMs: 600_000, run: removeOldCapCounts },
  { name: "remove-deleted-streak-days", restMs: 600_000, run: removeDeletedStreakDays },
  { name: "turn-idempotency-records", restMs: 3_600_000, run: turnIdempotencyRecords },
  { name: "remove-old-webhook-deliveries", restMs: 600_000, run: removeOldDeliveries },
  { name: "remove-old-credit-traces", restMs: 600_000, run: removeOldTraces },
  { name: "remove-old-requests", restMs: 600_000, run: removeOldRequests },
  { name: "remove-old-refused-calls", restMs: 600_000, run: removeOldRefusedCalls },
  { name: "remove-old-scores", restMs: 3_600_000, run: removeOldScores },
];

async function fold({ run }: Fold, report: (error: unknown) => void): Promise<boolean> {
  return run({ report, look: (await findDueWork()).ledger });
}

/** The positions a second that all ledgers gain at most while they are calm. */
const CALM_GROWTH_PER_SECOND = 500;
/** The rest after a run while ledgers are calm, in times of that run: a quarter of a processor counts. */
const CALM_REST = 3;

/**
 * Folds once. While credits come fast, the job's rest leaves the processors to them; while ledgers are calm, what has
 * piled up is counted sooner.
 */
async function foldAtRest(each: Fold, report: (error: unknown) => void): Promise<boolean | number> {
  const { ledger } = await findDueWork();
  const startedAtMs = performance.now();
  let isBehind = false;
  const onFull = () => {
    isBehind = true;
  };
  await each.run({ report, look: ledger, onFull });
  const isCalm = (ledger.growthPerSecond ?? Infinity) <= CALM_GROWTH_PER_SECOND;
  return isBehind && isCalm && CALM_REST * (performance.now() - startedAtMs);
}
