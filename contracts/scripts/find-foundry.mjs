import { createRequire } from "node:module";

/**
 * Finds the platform's own binary of a Foundry program. The command of npm's package is a process
 * around it, which returns exit status 0 when forge fails, and does not stop the binary when it is
 * stopped.
 * @param {"anvil" | "forge"} program
 * @returns {string} its path
 * @throws when there is none for this platform
 */
export function findFoundry(program) {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const suffix = process.platform === "win32" ? ".exe" : "";
  const file = `@foundry-rs/${program}-${process.platform}-${arch}/bin/${program}${suffix}`;
  return createRequire(import.meta.url).resolve(file);
}
