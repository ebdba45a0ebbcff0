import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterLocation } from "./location";
import { findStartTicks, getChildEnv, isAlive } from "./processes";

/**
 * Lets go of the cluster for a holder that died, even by SIGKILL: `read` returns when the pipe from
 * the holder closes. Plain POSIX sh, as small images have no ps, and not Node, so that it costs
 * nothing. It looks for a postmaster for 3 s, since the holder may have died while starting one.
 */
const watchdogScript = `
holder=$1 holders=$2 cluster=$3
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
  if [ -n "$pid" ] && is_postmaster "$pid"; then kill -INT "$pid"; exit; fi
  sleep 0.1 || sleep 1
  tries=$((tries + 1))
done
`;

/** One registered hold on a cluster; a process may have several. */
export interface Holder {
  /** takes the hold back; whoever does so last stops PostgreSQL */
  unregister(): void;
  /** sends the watchdog away, once there is nothing left for it to do */
  dismissWatchdog(): void;
}

function startWatchdog(
  { holdersDir, clusterDir }: ClusterLocation,
  holderFile: string,
  log: (message: string) => void,
): () => void {
  if (process.platform === "win32") return () => {};
  const args = ["-c", watchdogScript, "pg-watchdog", holderFile, holdersDir, clusterDir];
  const watchdog = spawn("/bin/sh", args, {
    cwd: "/",
    detached: true, // out of the terminal's process group: Ctrl-C must not end it
    env: getChildEnv(),
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog.once("error", (error) => {
    log(`No watchdog (${error.message}): if this process is killed, PostgreSQL keeps running`);
  });
  watchdog.unref();
  watchdog.stdin.on("error", () => {});
  return () => {
    watchdog.kill("SIGKILL");
  };
}

/**
 * Registers this process as a holder, with a watchdog that takes the hold back if it dies. To be
 * called before looking for a running postmaster, so that a holder leaving meanwhile sees us.
 */
export function registerHolder(location: ClusterLocation, log: (message: string) => void): Holder {
  // All there is to know is in the name, so that no reader ever sees a half-written file.
  const id = [process.pid, findStartTicks(process.pid), randomBytes(4).toString("hex")].join(".");
  const file = join(location.holdersDir, id);
  writeFileSync(file, "");
  return {
    unregister: () => rmSync(file, { force: true }),
    dismissWatchdog: startWatchdog(location, file, log),
  };
}

/** Whether any live process still holds the cluster; removes what dead ones left behind. */
export function isHeld({ holdersDir }: ClusterLocation): boolean {
  if (!existsSync(holdersDir)) return false; // somebody has removed the whole data dir
  return readdirSync(holdersDir).some((name) => {
    const [pid, startTicks] = name.split(".");
    if (isAlive(Number(pid), startTicks)) return true;
    rmSync(join(holdersDir, name), { force: true });
    return false;
  });
}
