import type { Address } from "./address";

/** A wallet that may get a part of a reward. */
export interface Entrant {
  readonly address: Address;
  readonly points: number;
}

/** How a reward is split. */
export interface AllocationTerms {
  /** Base units of the token, all of which are given out. */
  readonly totalWei: bigint;
  /** Whole points below which a wallet gets nothing. */
  readonly minPoints: number;
  /** Whole points above which more points count no more; null for no cap. */
  readonly maxPoints: number | null;
}

/**
 * Splits a reward in proportion to points, exactly, in base units of its token. A wallet with
 * `minPoints` or more weighs min(points, maxPoints); one that weighs nothing is left out, one whose
 * share rounds to nothing is not.
 * Source: the largest remainder method (Hamilton): floor, then one unit each by largest remainder,
 * equal remainders by lower address.
 * @param entrants unique lowercase addresses, whole points >= 0, in any order
 * @returns shares in base units that sum to exactly `totalWei`, by ascending address; empty when no
 *   entrant is eligible
 */
export function allocate(
  entrants: readonly Entrant[],
  { totalWei, minPoints, maxPoints }: AllocationTerms,
): Map<Address, bigint> {
  const eligible = entrants
    .filter(({ points }) => points > 0 && points >= minPoints)
    .map(({ address, points }) => ({
      address,
      weight: BigInt(maxPoints === null ? points : Math.min(points, maxPoints)),
    }))
    .sort(byAddress);
  const totalWeight = eligible.reduce((sum, { weight }) => sum + weight, 0n);

  const shares = new Map<Address, bigint>();
  let leftWei = totalWei;
  const remainders = eligible.map(({ address, weight }) => {
    const shareWei = (totalWei * weight) / totalWeight;
    shares.set(address, shareWei);
    leftWei -= shareWei;
    return { address, remainder: (totalWei * weight) % totalWeight };
  });
  if (leftWei === 0n || eligible.length === 0) return shares;

  // The sort is stable and the addresses ascend already, so equal remainders go by address.
  remainders.sort((a, b) => compare(b.remainder, a.remainder));
  // Fewer units are left than there are entrants: each lost less than one.
  for (const { address } of remainders.slice(0, Number(leftWei))) {
    shares.set(address, (shares.get(address) ?? 0n) + 1n);
  }
  return shares;
}

function byAddress(a: { address: Address }, b: { address: Address }): number {
  return compare(a.address, b.address);
}

function compare<T extends bigint | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** What a wallet got, and what it was reckoned from. */
interface WalletShare {
  readonly points: number;
  readonly amountWei: bigint;
}

/** Of the whole split that a wallet's share is of. */
interface SplitSums {
  readonly totalWei: bigint;
  readonly maxPoints: number | null;
  readonly totalWeight: bigint;
}

/**
 * Explains a wallet's amount: `exactNumerator / totalWeight` is its exact share, which is rounded
 * down, and perhaps given one of the units that rounding left.
 */
export function explainShare(
  { points, amountWei }: WalletShare,
  { totalWei, maxPoints, totalWeight }: SplitSums,
) {
  const weight = BigInt(maxPoints === null ? points : Math.min(points, maxPoints));
  const exactNumerator = totalWei * weight;
  const flooredWei = totalWeight === 0n ? 0n : exactNumerator / totalWeight;
  return {
    weight,
    share: totalWeight === 0n ? 0 : Number(weight) / Number(totalWeight),
    exactNumerator,
    flooredWei,
    gotRemainderUnit: amountWei === flooredWei + 1n,
  };
}
