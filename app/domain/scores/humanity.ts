import { SCORE_RULES } from "./rules";

const RULES = SCORE_RULES.humanity;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const HOURS = 24;

/** The strength of each pattern, from 0 to 1. */
interface HumanityFeatures {
  readonly regularity: number;
  readonly sleeplessness: number;
  readonly clock: number;
  readonly bursts: number;
}

/** The penalty that the sending times give, with the patterns found in them. */
export interface HumanityFinding {
  readonly penalty: number;
  readonly features: HumanityFeatures;
}

const NOTHING: HumanityFinding = {
  penalty: 0,
  features: { regularity: 0, sleeplessness: 0, clock: 0, bursts: 0 },
};

/**
 * Computes the penalty for sending patterns that people do not make.
 * @param sentAt moments of sending in whole seconds since 1970, over all chains, in any order
 */
export function assessHumanity(sentAt: readonly number[]): HumanityFinding {
  const times = sentAt.toSorted((a, b) => a - b).slice(-RULES.timesMax);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const days = new Set(times.map((time) => Math.floor(time / DAY_SECONDS)));
  if (gaps.length < RULES.gapsMin || days.size < RULES.daysMin) return NOTHING;
  const features = {
    regularity: measureRegularity(gaps),
    sleeplessness: measureSleeplessness(times),
    clock: measureClock(times),
    bursts: measureBursts(times),
  };
  const sum =
    RULES.regularity.weight * features.regularity +
    RULES.sleeplessness.weight * features.sleeplessness +
    RULES.clock.weight * features.clock +
    RULES.bursts.weight * features.bursts;
  const evidence = clampShare((gaps.length - RULES.evidenceFrom) / RULES.evidenceOver);
  return { penalty: Math.round(Math.min(RULES.penaltyMax, sum * evidence)), features };
}

function clampShare(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function ramp(value: number, [from, to]: readonly [number, number]): number {
  return clampShare((value - from) / (to - from));
}

function measureRegularity(gaps: readonly number[]): number {
  const { burstiness, repeated } = RULES.regularity;
  return Math.max(
    ramp(-measureBurstiness(gaps), burstiness),
    ramp(measureRepetition(gaps), repeated),
  );
}

/**
 * Measures the finite-size burstiness of Kim and Jo: -1 for a clock, 0 for chance, 1 for one long
 * wait.
 */
function measureBurstiness(gaps: readonly number[]): number {
  const count = gaps.length;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / count;
  if (mean === 0) return -1;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / count;
  const spread = Math.sqrt(variance) / mean;
  const [more, less] = [Math.sqrt(count + 1), Math.sqrt(count - 1)];
  return (more * spread - less) / ((more - 2) * spread + less);
}

/** Measures the largest share of the long gaps that are nearly the same. */
function measureRepetition(gaps: readonly number[]): number {
  const { gapMinSeconds, gapsMin, widthMinSeconds, widthShare } = RULES.regularity;
  const long = gaps.filter((gap) => gap >= gapMinSeconds).sort((a, b) => a - b);
  if (long.length < gapsMin) return 0;
  let most = 0;
  let end = 0;
  // A window that starts at a gap holds at least as many as one that starts just before it.
  for (const [start, gap] of long.entries()) {
    const last = gap + Math.max(widthMinSeconds, widthShare * gap);
    while (end < long.length && (long[end] ?? 0) <= last) end += 1;
    most = Math.max(most, end - start);
  }
  return most / long.length;
}

/** Measures how little of the day is left for sleep. */
function measureSleeplessness(times: readonly number[]): number {
  const { slotsMin, daysMin, quietShare, restHours, overHours } = RULES.sleeplessness;
  const slots = new Set(times.map((time) => Math.floor(time / HOUR_SECONDS)));
  const days = new Set([...slots].map((slot) => Math.floor(slot / HOURS)));
  if (slots.size < slotsMin || days.size < daysMin) return 0;
  const slotsByHour = Array.from({ length: HOURS }, () => 0);
  for (const slot of slots) slotsByHour[slot % HOURS] = (slotsByHour[slot % HOURS] ?? 0) + 1;
  const longest = findLongestQuietRun(slotsByHour, quietShare * slots.size);
  return clampShare((restHours - longest) / overHours);
}

/** Finds the longest run of hours, across midnight as well, that holds no more than `slotsMax`. */
function findLongestQuietRun(slotsByHour: readonly number[], slotsMax: number): number {
  let longest = 0;
  for (let start = 0; start < HOURS; start += 1) {
    let held = 0;
    for (let length = 1; length <= HOURS; length += 1) {
      held += slotsByHour[(start + length - 1) % HOURS] ?? 0;
      if (held > slotsMax) break;
      longest = Math.max(longest, length);
    }
  }
  return longest;
}

function measureClock(times: readonly number[]): number {
  const byMinute = new Map<number, number>();
  for (const time of times) {
    const minute = Math.floor((time % HOUR_SECONDS) / 60);
    byMinute.set(minute, (byMinute.get(minute) ?? 0) + 1);
  }
  return ramp(Math.max(...byMinute.values()) / times.length, RULES.clock.share);
}

function measureBursts(times: readonly number[]): number {
  const { windowSeconds, transactionsMin, share } = RULES.bursts;
  let inside = 0;
  /** The index before which every entry is counted, or lies in no window. */
  let counted = 0;
  for (let last = transactionsMin - 1; last < times.length; last += 1) {
    const first = last - transactionsMin + 1;
    if ((times[last] ?? 0) - (times[first] ?? 0) > windowSeconds) continue;
    inside += last + 1 - Math.max(first, counted);
    counted = last + 1;
  }
  return ramp(inside / times.length, share);
}
