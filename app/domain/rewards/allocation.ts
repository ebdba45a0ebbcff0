import type { Address } from "../address";

/** A wallet that may get a share of a reward. */
export interface Entrant {
  readonly address: Address;
  readonly points: number;
}

/** The terms by which a reward is split. */
export interface AllocationTerms {
  /** The base units of the token, all of which are allocated. */
  readonly totalWei: bigint;
  /** The least whole points that a wallet needs for a share. */
  readonly minPoints: number;
  /** The whole points above which more points do not count; null for no cap. */
  readonly maxPoints: number | null;
}

/** The result of a split. */
export interface WeighedShares {
  /** The sum of all weights: with it every share can be computed again. */
  readonly totalWeight: bigint;
  /** The base units of each weight, in the order of the weights. */
  readonly amounts: readonly bigint[];
}

/** How one wallet's amount came about. */
export interface ShareExplanation {
  /** The smaller of points and `maxPoints`. */
  readonly weight: number;
  /** The part of the total weight: 0 to 1, rounded as floating point is. */
  readonly share: number;
  /**
   * The product of `totalWei` and the weight. Divided by the total weight it is the wallet's exact
   * share.
   */
  readonly exactNumerator: bigint;
  /** The exact share, rounded down to whole base units. */
  readonly flooredWei: bigint;
  /** Whether the wallet got one of the base units that rounding down left over. */
  readonly gotRemainderUnit: boolean;
}

/**
 * Splits a reward in proportion to points, exactly, in base units of its token. A wallet with
 * `minPoints` or more weighs min(points, maxPoints). A wallet of weight zero is left out; a wallet
 * whose share rounds to zero is not.
 * Source: the largest remainder method (Hamilton): round down, then one unit each by largest
 * remainder, equal remainders by lower address.
 * @param entrants unique lowercase addresses, whole points >= 0, in any order
 * @returns shares in base units that sum to exactly `totalWei`, by ascending address; empty when no
 *   entrant is eligible
 */
export function allocate(
  entrants: readonly Entrant[],
  { totalWei, minPoints, maxPoints }: AllocationTerms,
): Map<Address, bigint> {
  const eligible = entrants
    .filter(({ points }) => points >= getPointsNeeded(minPoints))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  const weights = Float64Array.from(eligible, ({ points }) => weigh(points, maxPoints));
  const { amounts } = allocateByWeight(weights, totalWei);
  return new Map(eligible.map(({ address }, i) => [address, amounts[i] as bigint]));
}

/**
 * Returns the least points that give a share. It is at least 1, whatever the terms say: a wallet of
 * weight zero gets nothing.
 */
export function getPointsNeeded(minPoints: number): number {
  return Math.max(minPoints, 1);
}

/**
 * Returns the weight of a wallet's points. The cap may be below the threshold: then all wallets
 * weigh the same.
 */
export function weigh(points: number, maxPoints: number | null): number {
  return maxPoints === null ? points : Math.min(points, maxPoints);
}

/**
 * Computes the split itself, for up to a million wallets. Wallets of equal weight get the same
 * amount except for one unit, so the exact arithmetic is done once for each weight.
 * @param weights whole numbers from 1 up, by ascending address
 */
export function allocateByWeight(weights: Float64Array, totalWei: bigint): WeighedShares {
  const { distinct, counts } = countWeights(weights);
  const totalWeight = sumWeights(distinct, counts);
  const floors: bigint[] = [];
  const remainders: bigint[] = [];
  let leftWei = distinct.length === 0 ? 0n : totalWei;
  distinct.forEach((weight, i) => {
    const numerator = totalWei * BigInt(weight);
    const floor = numerator / totalWeight;
    floors.push(floor);
    remainders.push(numerator - floor * totalWeight);
    leftWei -= floor * BigInt(counts[i] as number);
  });
  // Fewer units are left than there are wallets: each wallet lost less than one unit.
  const { groupOf, units } = spreadUnits(remainders, counts, Number(leftWei));
  const raised = floors.map((floor) => floor + 1n);
  const amounts: bigint[] = [];
  for (const weight of weights) {
    const at = findIndex(distinct, weight);
    const group = groupOf[at] as number;
    const left = units[group] as number;
    // The weights are ordered by address, so the first wallets of equal remainder take the units.
    if (left > 0) units[group] = left - 1;
    amounts.push((left > 0 ? raised : floors)[at] as bigint);
  }
  return { totalWeight, amounts };
}

/**
 * Explains how an amount came about.
 * @param terms.totalWeight the sum of all weights in the split
 */
export function explainShare(
  { points, amountWei }: { readonly points: number; readonly amountWei: bigint },
  {
    totalWei,
    maxPoints,
    totalWeight,
  }: {
    readonly totalWei: bigint;
    readonly maxPoints: number | null;
    readonly totalWeight: bigint;
  },
): ShareExplanation {
  const weight = weigh(points, maxPoints);
  const exactNumerator = totalWei * BigInt(weight);
  const flooredWei = exactNumerator / totalWeight;
  return {
    weight,
    share: weight / Number(totalWeight),
    exactNumerator,
    flooredWei,
    gotRemainderUnit: amountWei > flooredWei,
  };
}

/** Lists the different weights, ascending, and counts the wallets of each. */
function countWeights(weights: Float64Array): { distinct: Float64Array; counts: Uint32Array } {
  const sorted = Float64Array.from(weights).sort();
  const distinct = sorted.filter((weight, i) => weight !== sorted[i - 1]);
  const counts = new Uint32Array(distinct.length);
  let at = -1;
  sorted.forEach((weight, i) => {
    if (weight !== sorted[i - 1]) at += 1;
    counts[at] = (counts[at] as number) + 1;
  });
  return { distinct, counts };
}

function sumWeights(distinct: Float64Array, counts: Uint32Array): bigint {
  let sum = 0n;
  distinct.forEach((weight, i) => {
    sum += BigInt(weight) * BigInt(counts[i] as number);
  });
  return sum;
}

/**
 * Gives the units that rounding down left over to the largest remainders. Weights of equal
 * remainder form one group, within which the address decides.
 * @returns the group of each weight, and the units of each group
 */
function spreadUnits(
  remainders: readonly bigint[],
  counts: Uint32Array,
  leftUnits: number,
): { groupOf: Uint32Array; units: Uint32Array } {
  const groupOf = new Uint32Array(remainders.length);
  const units = new Uint32Array(remainders.length);
  if (leftUnits === 0) return { groupOf, units };
  // Rounded numbers tell nearly all remainders apart, and compare much faster.
  const rounded = Float64Array.from(remainders, Number);
  const order = Uint32Array.from(remainders, (_, i) => i).sort(
    (a, b) =>
      (rounded[b] as number) - (rounded[a] as number) ||
      compare(remainders[b] as bigint, remainders[a] as bigint),
  );
  let left = leftUnits;
  let group = -1;
  order.forEach((at, place) => {
    const before = order[place - 1];
    if (before === undefined || remainders[at] !== remainders[before]) group += 1;
    const taken = Math.min(left, counts[at] as number);
    groupOf[at] = group;
    units[group] = (units[group] as number) + taken;
    left -= taken;
  });
  return { groupOf, units };
}

function findIndex(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
