import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../../app/domain/address";
import {
  type AllocationTerms,
  allocate,
  allocateByWeight,
  type Entrant,
  explainShare,
} from "../../../app/domain/rewards/allocation";
import { atDepth } from "../../support/depth";

const address = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;

const entrantsOf = (...points: number[]): Entrant[] =>
  points.map((held, i) => ({ address: address(i + 1), points: held }));

const points = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);
const anyEntrants = fc.array(points, { maxLength: 40 }).map((held) => entrantsOf(...held));
const anyTerms: fc.Arbitrary<AllocationTerms> = fc.record({
  totalWei: fc.oneof(
    fc.bigInt({ min: 0n, max: 100n }),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  ),
  minPoints: fc.integer({ min: 0, max: 25 }),
  maxPoints: fc.option(fc.integer({ min: 1, max: 1_000 })),
});

const sum = (shares: Map<Address, bigint>) => [...shares.values()].reduce((a, b) => a + b, 0n);

/**
 * Allocates by the definition itself: floors, then one unit at a time to the largest remaining
 * remainder.
 */
function allocateNaively(entrants: readonly Entrant[], terms: AllocationTerms) {
  const rows = entrants
    .filter((entrant) => entrant.points >= terms.minPoints && entrant.points > 0)
    .map((entrant) => ({
      address: entrant.address,
      weight: BigInt(Math.min(entrant.points, terms.maxPoints ?? Number.MAX_SAFE_INTEGER)),
      share: 0n,
      hasUnit: false,
    }));
  const totalWeight = rows.reduce((total, row) => total + row.weight, 0n);
  let left = terms.totalWei;
  for (const row of rows) {
    // The largest whole share whose weight in the total does not exceed the row's.
    row.share =
      (terms.totalWei * row.weight - ((terms.totalWei * row.weight) % totalWeight)) / totalWeight;
    left -= row.share;
  }
  const lost = (row: (typeof rows)[number]) =>
    terms.totalWei * row.weight - row.share * totalWeight;
  for (; rows.length > 0 && left > 0n; left -= 1n) {
    const next = rows
      .filter((row) => !row.hasUnit)
      .reduce((best, row) =>
        lost(row) > lost(best) || (lost(row) === lost(best) && row.address < best.address)
          ? row
          : best,
      );
    next.hasUnit = true;
  }
  return new Map(rows.map((row) => [row.address, row.share + (row.hasUnit ? 1n : 0n)]));
}

describe("allocate", () => {
  test("splits in proportion to points", () => {
    const terms = { totalWei: 1_000n, minPoints: 0, maxPoints: null };
    expect([...allocate(entrantsOf(10, 30, 60), terms).values()]).toEqual([100n, 300n, 600n]);
  });

  test("gives what the floors leave to the largest remainders, equal ones by lower address", () => {
    const terms = { totalWei: 11n, minPoints: 0, maxPoints: null };
    // Quotas 5.5, 2.75, 2.75: the remainders .75 win over .5.
    expect([...allocate(entrantsOf(2, 1, 1), terms).values()]).toEqual([5n, 3n, 3n]);
    expect([...allocate(entrantsOf(1, 1, 1), terms).values()]).toEqual([4n, 4n, 3n]);
  });

  test("leaves out who is under minPoints, and counts points up to maxPoints only", () => {
    const shares = allocate(entrantsOf(99, 100, 300, 4_000), {
      totalWei: 700n,
      minPoints: 100,
      maxPoints: 300,
    });
    expect(shares).toEqual(
      new Map([
        [address(2), 100n],
        [address(3), 300n],
        [address(4), 300n],
      ]),
    );
  });

  test("nobody is eligible: an empty result", () => {
    const terms = { totalWei: 5n, minPoints: 10, maxPoints: null };
    expect(allocate([], terms).size).toBe(0);
    expect(allocate(entrantsOf(9, 3), terms).size).toBe(0);
    expect(allocate(entrantsOf(0, 0), { ...terms, minPoints: 0 }).size).toBe(0);
  });

  test("a share that rounds to nothing stays in the result", () => {
    const terms = { totalWei: 1n, minPoints: 0, maxPoints: null };
    expect([...allocate(entrantsOf(1, 1), terms).values()]).toEqual([1n, 0n]);
  });

  test("equals the definition, for any entrants and terms", () => {
    fc.assert(
      fc.property(anyEntrants, anyTerms, (entrants, terms) => {
        expect(allocate(entrants, terms)).toEqual(allocateNaively(entrants, terms));
      }),
    );
  });

  test("sums to exactly the total whenever anybody is eligible", () => {
    fc.assert(
      fc.property(anyEntrants, anyTerms, (entrants, terms) => {
        const shares = allocate(entrants, terms);
        expect(sum(shares)).toBe(shares.size === 0 ? 0n : terms.totalWei);
      }),
    );
  });

  test("does not depend on the order of the entrants", () => {
    const shuffled = anyEntrants.chain((entrants) =>
      fc.tuple(
        fc.constant(entrants),
        fc.shuffledSubarray(entrants, { minLength: entrants.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, anyTerms, ([entrants, others], terms) => {
        expect([...allocate(others, terms)]).toEqual([...allocate(entrants, terms)]);
      }),
    );
  });

  test("more points never get less", () => {
    fc.assert(
      fc.property(anyEntrants, anyTerms, (entrants, terms) => {
        const shares = allocate(entrants, terms);
        const cap = terms.maxPoints ?? Number.MAX_SAFE_INTEGER;
        const weigh = (entrant: Entrant) => Math.min(entrant.points, cap);
        for (const a of entrants) {
          for (const b of entrants) {
            if (weigh(a) <= weigh(b)) continue;
            expect(shares.get(a.address) ?? 0n).toBeGreaterThanOrEqual(shares.get(b.address) ?? 0n);
          }
        }
      }),
    );
  });

  test("points over the cap change nothing", () => {
    fc.assert(
      fc.property(
        anyEntrants,
        anyTerms,
        fc.integer({ min: 25, max: 1_000 }),
        (entrants, terms, maxPoints) => {
          const clipped = entrants.map((entrant) => ({
            ...entrant,
            points: Math.min(entrant.points, maxPoints),
          }));
          const capped = { ...terms, maxPoints };
          expect(allocate(entrants, capped)).toEqual(allocate(clipped, capped));
        },
      ),
    );
  });

  test("a cap below the threshold: all who reach the threshold weigh the same", () => {
    const terms = { totalWei: 90n, minPoints: 100, maxPoints: 10 };
    expect([...allocate(entrantsOf(99, 100, 5_000, 100), terms)]).toEqual([
      [address(2), 30n],
      [address(3), 30n],
      [address(4), 30n],
    ]);
  });

  test("no threshold: whoever has no points still gets nothing", () => {
    const terms = { totalWei: 7n, minPoints: 0, maxPoints: null };
    expect([...allocate(entrantsOf(0, 3, 0), terms)]).toEqual([[address(2), 7n]]);
  });

  test("equal remainders go by address, also where the weights differ", () => {
    // Quotas 0.5 and 1.5 of 2, and 0.5 and 1.5 the other way round.
    const terms = { totalWei: 4n, minPoints: 0, maxPoints: null };
    expect([...allocate(entrantsOf(1, 3, 1, 3), terms).values()]).toEqual([1n, 2n, 0n, 1n]);
    expect([...allocate(entrantsOf(3, 1, 3, 1), terms).values()]).toEqual([2n, 1n, 1n, 0n]);
  });

  test("leaves out nobody who is eligible, however little there is", () => {
    fc.assert(
      fc.property(anyEntrants, anyTerms, (entrants, terms) => {
        const eligible = entrants.filter(
          (entrant) => entrant.points > 0 && entrant.points >= terms.minPoints,
        );
        expect([...allocate(entrants, terms).keys()]).toEqual(
          eligible.map((entrant) => entrant.address),
        );
      }),
    );
  });

  test("gives nobody more than a unit over the exact part, nor a unit less", () => {
    fc.assert(
      fc.property(anyEntrants, anyTerms, (entrants, terms) => {
        const shares = allocate(entrants, terms);
        const weightOf = (held: number) =>
          BigInt(Math.min(held, terms.maxPoints ?? Number.MAX_SAFE_INTEGER));
        const taking = entrants.filter((entrant) => shares.has(entrant.address));
        const totalWeight = taking.reduce((sum, entrant) => sum + weightOf(entrant.points), 0n);
        for (const entrant of taking) {
          const exact = terms.totalWei * weightOf(entrant.points);
          const given = (shares.get(entrant.address) ?? 0n) * totalWeight;
          expect(given - exact).toBeLessThan(totalWeight);
          expect(exact - given).toBeLessThan(totalWeight);
        }
      }),
    );
  });

  test("many wallets of as many different weights are split to the unit", () => {
    const length = atDepth(100_000, 1_000_000);
    const weights = Float64Array.from({ length }, (_, i) => 1 + ((i * 7_919) % 1_000_003));
    const { amounts, totalWeight } = allocateByWeight(weights, 10n ** 24n + 7n);
    expect(amounts.reduce((a, b) => a + b, 0n)).toBe(10n ** 24n + 7n);
    expect(totalWeight).toBe(BigInt(weights.reduce((a, b) => a + b, 0)));
  }, 60_000);
});

describe("explainShare", () => {
  test("says how an amount came about", () => {
    const terms = { totalWei: 11n, maxPoints: 2, totalWeight: 4n };
    expect(explainShare({ points: 1, amountWei: 3n }, terms)).toEqual({
      weight: 1,
      share: 0.25,
      exactNumerator: 11n,
      flooredWei: 2n,
      gotRemainderUnit: true,
    });
    expect(explainShare({ points: 9, amountWei: 5n }, terms)).toMatchObject({
      weight: 2,
      share: 0.5,
      flooredWei: 5n,
      gotRemainderUnit: false,
    });
  });

  test("reproduces every amount", () => {
    fc.assert(
      fc.property(anyEntrants, anyTerms, (entrants, { totalWei, minPoints, maxPoints }) => {
        const shares = allocate(entrants, { totalWei, minPoints, maxPoints });
        const taking = entrants.filter((entrant) => shares.has(entrant.address));
        const totalWeight = taking.reduce(
          (sum, { points: held }) => sum + BigInt(Math.min(held, maxPoints ?? held)),
          0n,
        );
        for (const entrant of taking) {
          const amountWei = shares.get(entrant.address) ?? -1n;
          const terms = { totalWei, maxPoints, totalWeight };
          const { share, flooredWei, gotRemainderUnit } = explainShare(
            { points: entrant.points, amountWei },
            terms,
          );
          expect(flooredWei + (gotRemainderUnit ? 1n : 0n)).toBe(amountWei);
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
