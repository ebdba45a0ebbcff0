import { flushApiKeyUses } from "../services/api-key-usage";
import { purgeDeletedPointSystem } from "../services/point-system-purge";
import type { Job } from "./worker";

/** What runs beside the server. */
export const JOBS: readonly Job[] = [
  { name: "purge-point-systems", restMs: 30_000, run: purgeDeletedPointSystem },
  { name: "write-api-key-uses", restMs: 5_000, run: flushApiKeyUses },
];
