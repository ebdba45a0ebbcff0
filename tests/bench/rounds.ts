import type { Load } from "./wrk";

export interface RoundsOptions {
  /** The number of times that each contender is measured. */
  readonly rounds: number;
  readonly seconds: number;
  /** The load before the first round, which is not counted. */
  readonly warmUpSeconds: number;
  /** Waits before each load until the work that the one before it left is done. */
  readonly settle?: () => Promise<void>;
}

/** Puts load on a server for some seconds. */
export type Contender = (seconds: number) => Promise<Load>;

export interface Rounds<Name extends string> {
  /** The median of each figure, for each contender. */
  readonly loads: Record<Name, Load>;
  /**
   * Returns the median of the rounds' ratios: a machine that slows down between rounds does so for
   * both contenders.
   */
  readonly compare: (name: Name, to: Name, figure?: keyof Load) => number;
}

/**
 * Measures contenders in turn, A B C A B C, so that other work on the machine affects all of them
 * alike.
 */
export async function measureInRounds<Name extends string>(
  contenders: Record<Name, Contender>,
  { rounds, seconds, warmUpSeconds, settle = async () => {} }: RoundsOptions,
): Promise<Rounds<Name>> {
  const entries = Object.entries(contenders) as [Name, Contender][];
  const loads = new Map<Name, Load[]>(entries.map(([name]) => [name, []]));
  if (warmUpSeconds > 0) for (const [, run] of entries) await run(warmUpSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, run] of entries) {
      await settle();
      const load = await run(seconds);
      loads.get(name)?.push(load);
      console.error(
        `  ${round}/${rounds} ${name}: ${Math.round(load.perSecond)}/s, ` +
          `p50 ${load.p50Ms.toFixed(2)} ms, p99 ${load.p99Ms.toFixed(2)} ms`,
      );
    }
  }
  const medians = [...loads].map(([name, list]) => [name, takeMedians(list)] as const);
  return {
    loads: Object.fromEntries(medians) as Record<Name, Load>,
    compare(name, to, figure = "perSecond") {
      const others = loads.get(to) ?? [];
      const ratios = loads.get(name)?.map((load, i) => load[figure] / (others[i]?.[figure] ?? 0));
      return takeMedian(ratios ?? []);
    },
  };
}

function takeMedians(loads: readonly Load[]): Load {
  return {
    requests: takeMedian(loads.map(({ requests }) => requests)),
    perSecond: takeMedian(loads.map(({ perSecond }) => perSecond)),
    p50Ms: takeMedian(loads.map(({ p50Ms }) => p50Ms)),
    p99Ms: takeMedian(loads.map(({ p99Ms }) => p99Ms)),
  };
}

/** Returns the middle value, or the mean of the two in the middle. */
export function takeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("No values");
  return (upper + lower) / 2;
}
