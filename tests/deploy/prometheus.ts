import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { findFreePort } from "../support/free-port";
import { waitUntil } from "../support/server-process";

export const RULES = "deploy/monitoring/alerts.yml";
/** The pace of a Prometheus. */
interface Pace {
  /** The length of a minute of the rules: of the time for which they look back, and of that before they fire. */
  readonly minuteSeconds: number;
  /** How often processes are scraped and rules evaluated. An answer may take as long. */
  readonly everySeconds: number;
}

/** An alert that fires. */
interface Alert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Prometheus {
  /** Lists the alerts that fire. */
  readonly listFiring: () => Promise<readonly Alert[]>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts Prometheus with the rules of deploy/monitoring and the configuration that docs/operating.md prints, both
 * quickened, and waits until it has scraped each process.
 * @param ports the metrics' ports of the processes
 */
export async function startPrometheus(
  folder: string,
  ports: readonly number[],
  { minuteSeconds, everySeconds }: Pace,
): Promise<Prometheus> {
  const rules = await fs.readFile(RULES, "utf8");
  const quick = rules.replace(/\b(\d+)m\b/g, (_, n) => `${Number(n) * minuteSeconds}s`);
  await fs.writeFile(path.join(folder, "alerts.yml"), quick);
  const guide = await fs.readFile("docs/operating.md", "utf8");
  const example = /```yaml\n(rule_files:.*?)```/s.exec(guide)?.[1] ?? "";
  const targets = JSON.stringify(ports.map((port) => `127.0.0.1:${port}`));
  const config = example
    .replace(/rule_files: .*/, "rule_files: [alerts.yml]")
    .replace(/targets: .*/, `targets: ${targets}`);
  const file = path.join(folder, "prometheus.yml");
  await fs.rm(path.join(folder, "prometheus"), { recursive: true, force: true });
  const every = `${everySeconds}s`;
  const pace = `global: { scrape_interval: ${every}, scrape_timeout: ${every}, evaluation_interval: ${every} }`;
  await fs.writeFile(file, `${pace}\n${config}`);

  const port = await findFreePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, "prometheus")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const ask = async (what: string) => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${output}`);
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${what}`).catch(() => null);
    // biome-ignore lint/suspicious/noExplicitAny: as Prometheus documents it
    return response?.ok ? ((await response.json()) as any).data : null;
  };
  await waitUntil(async () => {
    const data = await ask("query?query=up==1");
    return data?.result.length === ports.length;
  }, 60_000);
  return {
    async listFiring() {
      const data = await ask("alerts");
      const alerts: { state: string; labels: Record<string, string> }[] = data?.alerts ?? [];
      return alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => ({ name: labels.alertname ?? "", labels }));
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
