import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { takeMedian } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { prepareOurs } from "../world";

const ROUNDS = 2;
const SECONDS = 5;
const WARM_UP_SECONDS = 1;

/**
 * Measures credits/s on new tables, whose statements were planned while they were empty, and after
 * an `analyze`. A plan that is good in only one case would show.
 */
export function measureStatistics(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const before: number[] = [];
    const after: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Each round has its own database and server.
      await withCleanUp(async (deferInRound) => {
        const database = await cluster.createDatabase(`round_${round}`);
        await prepareOurs(database);
        const server = await startServer(deferInRound, {
          command: [SERVERS.production],
          env: { DATABASE_URL: formatDatabaseUrl(database) },
        });
        const load = async (seconds: number) => {
          const url = `${server.url}/trigger`;
          return (await putTriggerLoad({ url, connections: 256, seconds })).perSecond;
        };
        await load(WARM_UP_SECONDS);
        before.push(await load(SECONDS));
        const sql = connect(database);
        await sql`analyze`.finally(() => sql.end({ timeout: 1 }));
        after.push(await load(SECONDS));
        const figures = [before, after].map((list) => Math.round(list.at(-1) ?? 0));
        console.error(`  ${round}/${ROUNDS} credits/s before and after: ${figures.join(", ")}`);
      });
    }
    const [slower, faster] = [takeMedian(before), takeMedian(after)].sort((a, b) => a - b);
    if (slower === undefined || faster === undefined) throw new Error("Nothing was measured");
    return [
      createRow("credits on new tables, never analyzed", takeMedian(before), "1/s"),
      createRow("credits on the same after analyze", takeMedian(after), "1/s"),
      createRow("the slower of the two to the faster", slower / faster, "ratio", 0.7),
    ];
  });
}
