import os from "node:os";
import { buildServers } from "./build";
import { cleanUpOnSignals } from "./clean-up";
import { measureBoards } from "./measures/boards";
import { measureCampaigns } from "./measures/campaigns";
import { measureClaims } from "./measures/claims";
import { measureCredits } from "./measures/credits";
import { measureGas } from "./measures/gas";
import { measureGrowth } from "./measures/growth";
import { measureIsolation } from "./measures/isolation";
import { measurePages } from "./measures/pages";
import { measurePoints } from "./measures/points";
import { measureRanks } from "./measures/ranks";
import { measureReads } from "./measures/reads";
import { measureReplicas } from "./measures/replicas";
import { measureStart } from "./measures/start";
import { measureStatistics } from "./measures/statistics";
import { measureWebhooks } from "./measures/webhooks";
import { formatTable, type Row, saveRows } from "./report";
import { ensureWrk } from "./wrk";

// npm run bench [-- NAME… --large]: measures, prints a table, writes bench-results.json. The exit
// status is 1 when a bar does not hold or a measure fails. With --large it also runs measures that
// take many minutes.

const RESULTS_FILE = "bench-results.json";

type Measure = (options: { isLarge: boolean }) => Promise<Row[]>;

/**
 * The measures by their names on the command line. A new measure is a function that returns rows.
 */
const MEASURES: Record<string, Measure> = {
  credits: measureCredits,
  isolation: measureIsolation,
  webhooks: measureWebhooks,
  statistics: measureStatistics,
  reads: measureReads,
  replicas: measureReplicas,
  ranks: measureRanks,
  boards: measureBoards,
  points: measurePoints,
  campaigns: measureCampaigns,
  claims: measureClaims,
  start: measureStart,
  pages: measurePages,
  gas: measureGas,
  growth: measureGrowth,
};

/** Measures that load no server. */
const WITHOUT_SERVERS = ["gas", "claims"];

/** Measures that run for half an hour: only by their name. */
const LONG = ["growth"];

function chooseMeasures(names: readonly string[]): [string, Measure][] {
  const unknown = names.filter((name) => !(name in MEASURES));
  if (unknown.length > 0) {
    const known = Object.keys(MEASURES).join(", ");
    throw new Error(`There is no benchmark ${unknown.join(", ")}. There are: ${known}`);
  }
  return Object.entries(MEASURES).filter(([name]) =>
    names.length === 0 ? !LONG.includes(name) : names.includes(name),
  );
}

async function run(words: readonly string[]): Promise<void> {
  const isLarge = words.includes("--large");
  const names = words.filter((word) => word !== "--large");
  const measures = chooseMeasures(names);
  if (measures.some(([name]) => !WITHOUT_SERVERS.includes(name))) {
    ensureWrk();
    await buildServers();
  }
  const startedAt = Date.now();
  const rows: Row[] = [];
  const broken: string[] = [];
  for (const [name, measure] of measures) {
    console.error(`${name}…`);
    try {
      rows.push(...(await measure({ isLarge })));
    } catch (error) {
      // The others keep their rows.
      console.error(error);
      broken.push(name);
    }
  }
  saveRows(RESULTS_FILE, rows);
  console.log(formatTable(rows));
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const cores = os.availableParallelism();
  console.error(`Measured in ${seconds} s with Node ${process.versions.node} on ${cores} cores`);
  const failed = rows.filter(({ holds }) => holds === false);
  for (const { name, value, bar, limit } of failed) {
    const side = limit === "most" ? "at most" : "at least";
    console.error(`Bar missed: ${name} is ${value}, should be ${side} ${bar}`);
  }
  for (const name of broken) console.error(`Measure failed: ${name}`);
  if (failed.length + broken.length > 0) process.exitCode = 1;
}

cleanUpOnSignals();
try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
