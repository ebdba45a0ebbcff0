import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterLocation } from "./location";
import { stopTimeoutMs } from "./postmaster";
import { findStartTicks, getChildEnv, isAlive } from "./processes";

/** The time after which a watchdog that was killed is replaced. */
const RESTART_AFTER_MS = 1_000;

/**
 * Releases the cluster for a holder that died, even by SIGKILL: `read` returns when the pipe from
 * the holder closes. It is plain POSIX sh because small images have no ps, and because Node would
 * cost more. It looks for a postmaster for 3 s, since the holder may have died while it started
 * one. A postmaster that is still there after the time for a stop is ended without a checkpoint.
 */
const watchdogScript = `
holder=$1 holders=$2 cluster=$3 seconds_to_stop=$4
is_alive() {
  pid=\${1##*/}
  ticks=\${pid#*.}
  ticks=\${ticks%%.*}
  pid=\${pid%%.*}
  if [ ! -r /proc/self/stat ]; then kill -0 "$pid"; return; fi
  [ -r "/proc/$pid/stat" ] && read -r stat < "/proc/$pid/stat" || return 1
  set -- \${stat##*) }
  case $1 in Z | X) return 1 ;; esac
  [ -z "$ticks" ] || [ "$ticks" = "\${20}" ]
}
is_postmaster() {
  if [ -r /proc/self/stat ]; then command=$(tr '\\0' ' ' < "/proc/$1/cmdline")
  else command=$(ps -ww -o command= -p "$1"); fi
  case $command in *"postgres -D $cluster "*) return 0 ;; esac
  return 1
}
read -r _
rm -f "$holder"
tries=0
while [ $tries -lt 30 ]; do
  for other in "$holders"/*; do
    [ -e "$other" ] && is_alive "$other" && exit
  done
  pid=
  [ -r "$cluster/postmaster.pid" ] && read -r pid < "$cluster/postmaster.pid"
  if [ -n "$pid" ] && is_postmaster "$pid"; then
    kill -INT "$pid"
    while [ $seconds_to_stop -gt 0 ]; do
      sleep 1
      is_postmaster "$pid" || exit
      seconds_to_stop=$((seconds_to_stop - 1))
    done
    kill -QUIT "$pid"
    exit
  fi
  sleep 0.1 || sleep 1
  tries=$((tries + 1))
done
`;

/** A registered hold on a cluster; a process may have several. */
export interface Holder {
  /** removes the hold; the last holder stops PostgreSQL */
  unregister(): void;
  /** ends the watchdog, once it has nothing left to do */
  dismissWatchdog(): void;
}

function startWatchdog(
  { holdersDir, clusterDir }: ClusterLocation,
  holderFile: string,
  log: (message: string) => void,
): () => void {
  if (process.platform === "win32") return () => {};
  const stopSeconds = String(stopTimeoutMs / 1_000);
  const folders = [holderFile, holdersDir, clusterDir];
  const args = ["-c", watchdogScript, "pg-watchdog", ...folders, stopSeconds];
  let isDismissed = false;
  let watchdog: ChildProcess;
  const start = () => {
    watchdog = spawn("/bin/sh", args, {
      cwd: "/",
      detached: true, // outside the terminal's process group: Ctrl-C must not end it
      env: getChildEnv(),
      stdio: ["pipe", "ignore", "ignore"],
    });
    watchdog.once("error", (error) => {
      log(`No watchdog (${error.message}): if this process is killed, PostgreSQL keeps running`);
    });
    // Somebody killed it.
    watchdog.once("exit", () => {
      if (!isDismissed) setTimeout(start, RESTART_AFTER_MS).unref();
    });
    watchdog.unref();
    watchdog.stdin?.on("error", () => {});
  };
  start();
  return () => {
    isDismissed = true;
    watchdog.kill("SIGKILL");
  };
}

/**
 * Registers this process as a holder, with a watchdog that removes the hold if the process dies.
 * The caller does so before it looks for a running postmaster, so that a holder that leaves
 * meanwhile sees the new one.
 */
export function registerHolder(location: ClusterLocation, log: (message: string) => void): Holder {
  // The name holds all the information, so that no reader ever sees a half-written file.
  const id = [process.pid, findStartTicks(process.pid), randomBytes(4).toString("hex")].join(".");
  const file = join(location.holdersDir, id);
  writeFileSync(file, "");
  return {
    unregister: () => rmSync(file, { force: true }),
    dismissWatchdog: startWatchdog(location, file, log),
  };
}

/** Checks whether any live process still holds the cluster, and removes the files of dead ones. */
export function isHeld({ holdersDir }: ClusterLocation): boolean {
  if (!existsSync(holdersDir)) return false; // the whole data dir has been removed
  return readdirSync(holdersDir).some((name) => {
    const [pid, startTicks] = name.split(".");
    if (isAlive(Number(pid), startTicks)) return true;
    rmSync(join(holdersDir, name), { force: true });
    return false;
  });
}
