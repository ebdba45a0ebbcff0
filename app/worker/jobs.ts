import { purgeDeletedPointSystem } from "../services/point-system-purge";
import { buildMissingRanks, foldWaitingRanks } from "../services/rank-counts";
import type { Job } from "./worker";

/** What runs beside the server. */
export const JOBS: readonly Job[] = [
  { name: "purge-point-systems", restMs: 30_000, run: purgeDeletedPointSystem },
  { name: "fold-ranks", restMs: 250, run: foldWaitingRanks },
  { name: "build-ranks", restMs: 30_000, run: buildMissingRanks },
];
