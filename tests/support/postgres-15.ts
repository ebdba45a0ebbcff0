import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

// A PostgreSQL 15 of Debian and its standbys, for tests of replication. The bundled one has no pg_basebackup.

export const BIN = "/usr/lib/postgresql/15/bin";
const isRoot = process.getuid?.() === 0;

export const hasPostgres15 = () => existsSync(`${BIN}/pg_basebackup`);

/** Runs a program of PostgreSQL as a user that it accepts. */
function run(program: string, args: readonly string[]): void {
  const command = [`${BIN}/${program}`, ...args];
  const [file = "", ...rest] = isRoot ? ["runuser", "-u", "postgres", "--", ...command] : command;
  execFileSync(file, rest, { stdio: "ignore", cwd: "/" });
}

export interface Postgres15 {
  readonly url: string;
  readonly pid: () => number;
  readonly promote: () => void;
  readonly start: () => void;
  /** Copies it into a standby that streams from it. */
  readonly makeStandby: () => Postgres15;
  /** Kills it, and removes its folder. */
  readonly end: () => void;
}

/** Makes the folder of a server, by `fill`, and starts it on a socket of its own, or on a port of this machine. */
function begin(fill: (data: string) => void, port?: number): Postgres15 {
  const folder = mkdtempSync(path.join(os.tmpdir(), "points-pg15-"));
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  chmodSync(folder, 0o755);
  const data = path.join(folder, "pg");
  fill(data);
  const place = port === undefined ? "-c listen_addresses=" : `-h 127.0.0.1 -p ${port}`;
  const settings = `${place} -c hot_standby=on -c fsync=off -c max_connections=200 -k ${folder}`;
  const start = () =>
    run("pg_ctl", ["-D", data, "-w", "-l", `${folder}/log`, "-o", settings, "start"]);
  const pid = () => Number(readFileSync(`${data}/postmaster.pid`, "utf8").split("\n")[0]);
  start();
  return {
    url:
      port === undefined
        ? `postgres://postgres@localhost:5432/postgres?host=${folder}`
        : `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid,
    start,
    promote: () => run("pg_ctl", ["-D", data, "-w", "promote"]),
    makeStandby: () =>
      begin((target) =>
        run("pg_basebackup", ["-h", folder, "-U", "postgres", "-D", target, "-R", "-c", "fast"]),
      ),
    end() {
      try {
        process.kill(pid(), "SIGCONT");
        run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      } catch {
        // The test has ended it.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param port with it, the server listens on TCP */
export const startPostgres15 = (port?: number) =>
  begin(
    (data) =>
      run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "--encoding=UTF8", "--locale=C"]),
    port,
  );
