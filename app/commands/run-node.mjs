import { spawn } from "node:child_process";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/**
 * Runs a program with Node to its end; what it complains about is seen.
 * @param {readonly string[]} args
 * @param {Record<string, string>} env beside this process's own
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

// Whoever ends while one of them runs takes it along.
process.once("exit", () => {
  for (const child of running) child.kill("SIGTERM");
});
