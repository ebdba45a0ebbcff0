import { removeOldDrafts, runImportBatch } from "../services/import-runner";
import { purgeDeletedPointSystem } from "../services/point-system-purge";
import type { Job } from "./worker";

/** What runs beside the server. */
export const JOBS: readonly Job[] = [
  { name: "purge-point-systems", restMs: 30_000, run: purgeDeletedPointSystem },
  { name: "run-imports", restMs: 1_000, run: runImportBatch },
  { name: "remove-old-drafts", restMs: 600_000, run: removeOldDrafts },
];
