import { setTimeout as sleep } from "node:timers/promises";
import { buildIfStale } from "../../app/commands/build.mjs";
import { readOptions } from "../../app/commands/options";
import { createBook } from "./book";
import { keepCalling } from "./callers";
import { type Fleet, startFleet } from "./fleet";
import { createRandom } from "./random";

// npm run test:soak [-- --minutes N]: steady credits and reads for an hour. The exit status is 1 when memory, files or
// connections of the service grow.

const CALLERS = 8;
/** Between two calls of a caller. */
const PAUSE_MS = 40;
const DISK_MEBIBYTES = 4_096;
const SAMPLES = 40;
/** The start, while caches and pools fill, does not count. */
const FIRST_SAMPLE = 8;
const MEMORY_GROWTH_MAX = 1.2;
const FILES_GROWTH_MAX = 8;

/** The memory, files and connections of the service at a moment. */
interface Sample {
  readonly memoryMegabytes: number;
  readonly files: number;
  readonly databaseConnections: number;
}

async function takeSample({ servers, sql }: Fleet): Promise<Sample> {
  const [row] = await sql<{ connections: number }[]>`
    select count(*)::int as connections from pg_stat_activity
    where application_name like 'points-and-rewards/%'`;
  const memory = await Promise.all(servers.map(({ memoryKilobytes }) => memoryKilobytes()));
  const files = await Promise.all(servers.map(({ countFiles }) => countFiles()));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    memoryMegabytes: Math.round(sum(memory) / 1_024),
    files: sum(files),
    databaseConnections: row?.connections ?? 0,
  };
}

function median(samples: readonly Sample[], of: keyof Sample): number {
  const numbers = samples.map((sample) => sample[of]).sort((a, b) => a - b);
  return numbers[numbers.length >> 1] ?? 0;
}

const { values } = readOptions("npm run test:soak [-- --minutes N]", {
  minutes: { type: "string", default: "60" },
});
await buildIfStale();
const random = createRandom(1);
const fleet = await startFleet(random, DISK_MEBIBYTES);
const book = createBook();
let isOver = false;
const load = Array.from({ length: CALLERS }, () =>
  keepCalling(book, {
    random,
    pickUrl: () => random.pick(fleet.servers).url,
    isOver: () => isOver,
    pauseMs: PAUSE_MS,
  }),
);
const samples: Sample[] = [];
try {
  for (let n = 0; n < SAMPLES; n += 1) {
    await Promise.race([sleep((Number(values.minutes) * 60_000) / SAMPLES), Promise.all(load)]);
    const sample = await takeSample(fleet);
    samples.push(sample);
    console.log(`${book.count("ok")} credited: ${JSON.stringify(sample)}`);
  }
  isOver = true;
  await Promise.all(load);
  await fleet.stop("SIGTERM");
} catch (error) {
  await fleet.stop("SIGKILL");
  throw error;
}

const half = (FIRST_SAMPLE + SAMPLES) >> 1;
const [earlier, later] = [samples.slice(FIRST_SAMPLE, half), samples.slice(half)];
const grown = [
  median(later, "memoryMegabytes") > median(earlier, "memoryMegabytes") * MEMORY_GROWTH_MAX &&
    "memory",
  median(later, "files") > median(earlier, "files") + FILES_GROWTH_MAX && "files",
  median(later, "databaseConnections") > median(earlier, "databaseConnections") && "connections",
  book.count("unknown") > 0 && "calls without an outcome",
].filter((name) => name !== false);
console.log(grown.length === 0 ? "Nothing grew." : `Grown: ${grown.join(", ")}`);
process.exit(grown.length === 0 ? 0 : 1);
