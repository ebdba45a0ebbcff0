import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../app/domain/address";
import { type AllocationTerms, allocate, type Entrant } from "../../app/domain/allocation";

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

/** The definition, word for word: floors, then unit after unit to the largest remainder left. */
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
    // The largest whole share whose weight in the total is not over the row's.
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

  test("200,000 wallets are split within 5 s", () => {
    const entrants = Array.from({ length: 200_000 }, (_, i) => ({
      address: address((i * 7_919) % 1_000_003),
      points: 1 + (i % 5_000),
    }));
    const begunAt = performance.now();
    const shares = allocate(entrants, {
      totalWei: 10n ** 24n + 7n,
      minPoints: 1,
      maxPoints: null,
    });
    expect(sum(shares)).toBe(10n ** 24n + 7n);
    expect(performance.now() - begunAt).toBeLessThan(5_000);
  });
});
