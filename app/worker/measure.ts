import { metrics, setGauge } from "../process/metrics";
import { activityFold } from "../services/activity/activity-fold";
import { ranksFold } from "../services/board/rank-counts";
import { programFold } from "../services/insights/program-fold";
import { statisticsFold } from "../services/insights/statistics-fold";
import { streaksFold } from "../services/progress/streak-fold";
import { tiersFold } from "../services/progress/tier-changes";
import { measureRuntime } from "../services/runtime/measures";

const FOLDS = {
  ranks: ranksFold,
  statistics: statisticsFold,
  program: programFold,
  activity: activityFold,
  streaks: streaksFold,
  tiers: tiersFold,
};

/** Measures what a scrape reads from the database. Metrics of this process are there without it. */
export async function measure(): Promise<void> {
  try {
    await measureRuntime();
    const states = await Promise.all(
      Object.entries(FOLDS).map(async ([fold, { measure: read }]) => ({ fold, ...(await read()) })),
    );
    setGauge(
      metrics.foldTail,
      states.map(({ fold, tails }) => ({
        labels: { fold },
        value: tails.reduce((sum, { entries }) => sum + entries, 0),
      })),
    );
    setGauge(
      metrics.foldFailing,
      states.map(({ fold, failing }) => ({ labels: { fold }, value: failing.length })),
    );
    metrics.scraped.set(1);
  } catch {
    // The metrics of the process are wanted most while the database is away.
    metrics.scraped.set(0);
  }
}
