import { release } from "node:os";

/**
 * Chooses how a recovery after a crash writes the data folder out before it replays the log: with one call for its
 * file system (`syncfs`) where Linux reports that call's errors, that is from 5.8, else file by file (`fsync`). On a
 * busy machine the many small waits of `fsync` take seconds, in which no call is answered.
 * Source: PostgreSQL documentation, "Error Handling", recovery_init_sync_method.
 */
export function chooseRecoverySync(
  platform: string = process.platform,
  kernel = release(),
): "syncfs" | "fsync" {
  const [major = 0, minor = 0] = kernel.split(".", 2).map(Number);
  return platform === "linux" && (major > 5 || (major === 5 && minor >= 8)) ? "syncfs" : "fsync";
}
