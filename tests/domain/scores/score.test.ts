import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assessHumanity } from "../../../app/domain/scores/humanity";
import {
  type ChainActivity,
  computeScore,
  getBotPenalty,
  getFinalScore,
  getRecencyPenalty,
  type ScoreFacts,
} from "../../../app/domain/scores/score";

const DAY_MS = 86_400_000;
const NOW = new Date("2026-06-01T00:00:00Z");
/** A UTC midnight, in seconds. */
const T0 = Date.UTC(2024, 0, 1) / 1_000;

const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const list = (count: number, at: (index: number) => number) =>
  Array.from({ length: count }, (_, i) => at(i));

function chain(
  transactions: number,
  firstDays: number | null,
  lastDays = firstDays,
): ChainActivity {
  return {
    transactions,
    firstAt: firstDays === null ? null : daysAgo(firstDays),
    lastAt: lastDays === null ? null : daysAgo(lastDays),
    sentAt: [],
  };
}

function facts(changes: Partial<ScoreFacts> = {}): ScoreFacts {
  return {
    chains: [],
    hasPrimaryName: false,
    missingChains: [],
    signals: { rewardsBonus: 0, operators: 0, reasonWeight: 0 },
    now: NOW,
    ...changes,
  };
}

function nearHourly(): number[] {
  let time = T0;
  return list(480, (i) => {
    const at = time;
    time += 3_600 + (((i * 7_919) % 361) - 180);
    return at;
  });
}

describe("humanity, for times from a UTC midnight", () => {
  test.each([
    ["480 hourly", list(480, (i) => T0 + i * 3_600), 30],
    ["480 near-hourly", nearHourly(), 22],
    ["208 weekly", list(208, (i) => T0 + i * 604_800 + ((i * 37) % 50)), 20],
    [
      "40 days of 5 from nine o'clock",
      list(200, (i) => {
        const day = Math.floor(i / 5);
        return T0 + day * 86_400 + 9 * 3_600 + ((day * 13) % 41) + (i % 5) * 45;
      }),
      15,
    ],
    ["101 every 6 h", list(101, (i) => T0 + i * 21_600), 20],
    ["31 every 6 h", list(31, (i) => T0 + i * 21_600), 3],
    ["30 every 6 h", list(30, (i) => T0 + i * 21_600), 0],
    ["hourly over 6 days", list(144, (i) => T0 + i * 3_600), 0],
    ["none", [], 0],
    ["all at one moment", list(1_000, () => T0), 0],
  ])("%s: the documented penalty", (_, times, penalty) => {
    expect(assessHumanity(times).penalty).toBe(penalty);
    expect(assessHumanity(times.toReversed()).penalty).toBe(penalty);
  });

  test("only the newest 1,000 times count", () => {
    const human = list(1_000, (i) => T0 + 9e7 + i * 40_000 + ((i * i * 7_919) % 39_000));
    const hourly = list(1_000, (i) => T0 + i * 3_600);
    expect(assessHumanity([...hourly, ...human])).toEqual(assessHumanity(human));
  });

  test("bursts: the share inside ten minutes that hold twenty", () => {
    // Ten days with 30 transactions within five minutes each, at irregular times of the day.
    const times = list(300, (i) => T0 + Math.floor(i / 30) * 91_111 + (i % 30) * 10);
    expect(assessHumanity(times).features.bursts).toBe(1);
    // Nineteen of them are no burst.
    const few = list(190, (i) => T0 + Math.floor(i / 19) * 91_111 + (i % 19) * 10);
    expect(assessHumanity(few).features.bursts).toBe(0);
  });

  test("sleep: five quiet hours around midnight are enough", () => {
    const hours = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21];
    const times = list(20 * hours.length, (i) => {
      const day = Math.floor(i / hours.length);
      return T0 + day * 86_400 + (hours[i % hours.length] ?? 0) * 3_600 + ((i * 977) % 3_600);
    });
    expect(assessHumanity(times).features.sleeplessness).toBe(0);
    expect(assessHumanity(list(480, (i) => T0 + i * 3_600)).features.sleeplessness).toBe(1);
  });

  test.each([
    [72, 14, 1],
    [71, 14, 0],
    [72, 13, 0],
  ])("sleep: %i hours of %i days give %i: 72 of 14 days are looked at", (slots, days, feature) => {
    const times = list(slots, (i) => T0 + (i % days) * 86_400 + ((i * 7) % 24) * 3_600);
    expect(assessHumanity(times).features.sleeplessness).toBe(feature);
  });

  test("30 gaps on 7 days by UTC are looked at, 29 and 6 are not", () => {
    const clockwork = (count: number, days: number) =>
      list(count, (i) => T0 + (i % days) * 86_400 + Math.floor(i / days) * 3_600);
    expect(assessHumanity(clockwork(31, 7)).features.clock).toBe(1);
    expect(assessHumanity(clockwork(30, 7)).features.clock).toBe(0);
    expect(assessHumanity(clockwork(31, 6)).features.clock).toBe(0);
  });
});

describe("the score of the documented wallets", () => {
  test.each([
    [1_095, 800, [5, 3, 7], 0, [0, 0], 45],
    [1_826, 2_500, [5, 3, 10], 0, [0, 10], 100],
    [1_826, 2_500, [5, 3, 10], 0, [30, 20], 68],
    [1_460, 1_000, [0, 3, 0], -5, [0, 0], 48],
    [1_459, 1_999, [0, 0, 0], 0, [0, 0], 99.88],
    [30, 120, [0, 0, 0], 0, [22, 0], 0],
    [null, 0, [5, 0, 0], -5, [0, 0], 0],
  ] as const)("%s days, %s transactions", (days, txs, bonuses, recency, penalties, score) => {
    const { breakdown } = computeScore(facts({ chains: [chain(txs, days)] }));
    expect(breakdown).toMatchObject({ wallet_age_days: days, total_txs: txs });
    const [ens, multichain, rewards] = bonuses;
    const [humanity, bot] = penalties;
    const parts = {
      breakdown,
      bonuses: { ens, multichain, rewards },
      penalties: { recency, humanity, bot },
    };
    expect(getFinalScore(parts)).toBe(score);
  });

  test("from facts to the answer, all at once", () => {
    const result = computeScore(
      facts({
        chains: [chain(400, 1_095, 3), chain(300, 20, 1), chain(100, 500, 400), chain(0, null)],
        hasPrimaryName: true,
        signals: { rewardsBonus: 7, operators: 1, reasonWeight: 0 },
      }),
    );
    expect(result).toEqual({
      finalScore: 45,
      breakdown: {
        age_factor: 0.75,
        activity_factor: 0.4,
        wallet_age_days: 1_095,
        total_txs: 800,
        chains_active: 3,
        last_tx_days_ago: 1,
      },
      bonuses: { ens: 5, multichain: 3, rewards: 7 },
      penalties: { recency: 0, humanity: 0, bot: 0 },
      dataSources: { explorer: true, rewards: true },
    });
  });
});

test("factors have four decimals, and stop at 1", () => {
  const of = (days: number, txs: number) =>
    computeScore(facts({ chains: [chain(txs, days)] })).breakdown;
  expect(of(1, 1)).toMatchObject({ age_factor: 0.0007, activity_factor: 0.0005 });
  expect(of(9_999, 99_999)).toMatchObject({ age_factor: 1, activity_factor: 1 });
});

test("days are whole ones that have passed", () => {
  const firstAt = new Date(daysAgo(10).getTime() + 1);
  const chains = [{ ...chain(1, 10), firstAt, lastAt: firstAt }];
  expect(computeScore(facts({ chains })).breakdown).toMatchObject({
    wallet_age_days: 9,
    last_tx_days_ago: 9,
  });
});

test.each([
  [0, true, 0],
  [180, true, 0],
  [181, true, -5],
  [181, false, -5],
  [null, true, -5],
  [null, false, 0],
])("last seen %s days ago, explorers %s: recency %s", (days, isAvailable, penalty) => {
  expect(getRecencyPenalty(days, isAvailable)).toBe(penalty);
});

test.each([
  [1, 1, 10],
  [2, 2, 20],
  [3, 3, 30],
  [3, 6, 15],
  [4, 5, 24],
  [2, 10, 4],
  [1, 5, 2],
  [0.6, 1, 4],
  [0, 3, 0],
  [0, 0, 0],
])("a weight of %s among %s operators: penalty %s", (weight, operators, penalty) => {
  expect(getBotPenalty(operators, weight)).toBe(penalty);
});

test("without signals, neither bonus nor penalty, and it is said", () => {
  const result = computeScore(facts({ signals: null }));
  expect(result.bonuses.rewards).toBe(0);
  expect(result.penalties.bot).toBe(0);
  expect(result.dataSources.rewards).toBe(false);
});

const anyTime = fc.integer({ min: 1_438_000_000, max: NOW.getTime() / 1_000 });
const anyChain = fc
  .record({ more: fc.nat(5_000), sentAt: fc.array(anyTime, { maxLength: 80 }) })
  .map(({ more, sentAt }): ChainActivity => {
    const isEmpty = sentAt.length === 0;
    return {
      transactions: isEmpty ? 0 : sentAt.length + more,
      firstAt: isEmpty ? null : new Date(Math.min(...sentAt) * 1_000),
      lastAt: isEmpty ? null : new Date(Math.max(...sentAt) * 1_000),
      sentAt,
    };
  });
const anyFacts = fc.record({
  chains: fc.array(anyChain, { maxLength: 9 }),
  hasPrimaryName: fc.boolean(),
  missingChains: fc.constantFrom([], [137]),
  signals: fc.option(
    fc
      .record({
        rewardsBonus: fc.nat(10),
        operators: fc.integer({ min: 1, max: 40 }),
        tenths: fc.nat(),
      })
      .map(({ rewardsBonus, operators, tenths }) => ({
        rewardsBonus,
        operators,
        reasonWeight: (tenths % (operators * 10 + 1)) / 10,
      })),
  ),
  now: fc.constant(NOW),
});

test("for any facts, the score is the formula's, within 0 and 100, and each part in its range", () => {
  fc.assert(
    fc.property(anyFacts, (given) => {
      const { finalScore, breakdown, bonuses, penalties } = computeScore(given);
      const raw =
        breakdown.age_factor * breakdown.activity_factor * 100 +
        bonuses.ens +
        bonuses.multichain +
        bonuses.rewards +
        penalties.recency -
        penalties.bot -
        penalties.humanity;
      expect(Math.abs(finalScore - Math.min(100, Math.max(0, raw)))).toBeLessThan(0.005_000_1);
      expect(finalScore).toBe(Number(finalScore.toFixed(2)));
      expect([0, 5]).toContain(bonuses.ens);
      expect([0, 3]).toContain(bonuses.multichain);
      expect([0, -5]).toContain(penalties.recency);
      for (const [value, max] of [
        [bonuses.rewards, 10],
        [penalties.humanity, 30],
        [penalties.bot, 30],
      ] as const) {
        expect(Number.isInteger(value) && value >= 0 && value <= max).toBe(true);
      }
      for (const factor of [breakdown.age_factor, breakdown.activity_factor]) {
        expect(factor >= 0 && factor <= 1 && factor === Number(factor.toFixed(4))).toBe(true);
      }
    }),
  );
});

test("humanity is 0 to 30 for any times of at least a week", () => {
  const step = fc.oneof(fc.nat(120), fc.nat(100_000), fc.constant(3_600));
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 400 }), (steps) => {
      let time = T0;
      const { penalty, features } = assessHumanity(steps.map((seconds) => (time += seconds)));
      expect(Number.isInteger(penalty) && penalty >= 0 && penalty <= 30).toBe(true);
      for (const feature of Object.values(features)) {
        expect(feature >= 0 && feature <= 1).toBe(true);
      }
    }),
  );
});
