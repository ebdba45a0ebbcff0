import { purgeDeletedPointSystem } from "../services/point-system-purge";
import type { Job } from "./worker";

/** What runs beside the server. */
export const JOBS: readonly Job[] = [
  { name: "purge-point-systems", restMs: 30_000, run: purgeDeletedPointSystem },
];
