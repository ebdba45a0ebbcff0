import { spawn } from "node:child_process";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/**
 * Runs a program with Node to its end and shows its error output.
 * @param {readonly string[]} args
 * @param {Record<string, string>} env added to this process's own
 * @returns {Promise<number>} its exit status
 */
export function runNode(args, env = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  running.add(child);
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      running.delete(child);
      resolve(code ?? 1);
    });
  });
}

// The programs end when this process ends.
process.once("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});
