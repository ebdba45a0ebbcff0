import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createFold, type Fold, foldInTime } from "../../../app/services/point-systems/fold";
import { createWorld } from "../../support/ranked-board";
import { other } from "../../support/test-database";

test("ten slow, locked and throwing point systems leave another one's folds at 0.8 of their pace", async () => {
  const ids: string[] = [];
  while (ids.length < 11) ids.push((await createWorld()).pointSystemId);
  ids.sort();
  const [slow, locked] = [ids.slice(0, 3), ids.slice(3, 6)];
  // The sound one comes last in each round.
  const sound = ids.at(-1) as string;
  let soundFolds = 0;
  const createTestFold = (among: string[]) =>
    createFold({
      name: "tests",
      hasTail: sql`t.id in (${sql.join(among, sql`, `)})`,
      listTail: () => sql`select`,
      entriesMax: () => 1_000,
      fold: (id, _, timeMaxMs) =>
        foldInTime(timeMaxMs, async (tx) => {
          await tx.execute(sql`select pg_sleep(${slow.includes(id) ? 5 : 0.01})`);
          await tx.execute(sql`select from point_systems where id = ${id} for update`);
          if (id !== sound && !locked.includes(id)) throw new Error("A check is violated");
          soundFolds += 1;
          return 1;
        }),
    });
  const measurePace = async (fold: Fold, forMs: number) => {
    const startedAtMs = performance.now();
    soundFolds = 0;
    while (performance.now() - startedAtMs < forMs) {
      const look = { newestSeq: String(performance.now()), isQuiet: false };
      await fold.run({ report: () => {}, look });
      await sleep(50);
    }
    return (soundFolds / (performance.now() - startedAtMs)) * 1_000;
  };
  const alone = await measurePace(createTestFold([sound]), 2_000);
  await other.begin(async (tx) => {
    await tx`select from point_systems where id in ${tx(locked)} for update`;
    const fold = createTestFold(ids);
    const startedAtMs = performance.now();
    await fold.run({ report: () => {} });
    expect(soundFolds).toBeGreaterThan(0);
    expect(performance.now() - startedAtMs).toBeLessThan(12_000);
    expect((await measurePace(fold, 10_000)) / alone).toBeGreaterThan(0.8);
  });
});
