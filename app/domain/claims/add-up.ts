/** An amount of a token on a chain, in base units as text. */
interface TokenShare {
  readonly chainId: number;
  readonly tokenAddress: string | null;
  readonly tokenDecimals: number;
  readonly tokenSymbol: string;
  readonly amountWei: string;
}

/** The sum of one token, over all chains that have it. */
export interface TokenSum {
  readonly tokenDecimals: number;
  readonly tokenSymbol: string;
  readonly amountWei: bigint;
}

/**
 * Adds up amounts by token. The same token has another address on each chain: symbol and decimals tell it. Two tokens of one
 * chain that share a symbol are different ones, and that symbol is then added up for each chain and address alone.
 */
export function addUpByToken(shares: readonly TokenShare[]): TokenSum[] {
  const toName = ({ tokenSymbol, tokenDecimals }: TokenShare) => `${tokenDecimals} ${tokenSymbol}`;
  const isAmbiguous = (share: TokenShare) =>
    shares.some(
      (other) =>
        toName(other) === toName(share) &&
        other.chainId === share.chainId &&
        other.tokenAddress !== share.tokenAddress,
    );
  const ambiguous = new Set(shares.filter(isAmbiguous).map(toName));
  const sums = new Map<string, TokenSum>();
  for (const share of shares) {
    const { chainId, tokenAddress, tokenDecimals, tokenSymbol } = share;
    const name = toName(share);
    const key = ambiguous.has(name) ? `${name} ${chainId} ${tokenAddress}` : name;
    const amountWei = (sums.get(key)?.amountWei ?? 0n) + BigInt(share.amountWei);
    sums.set(key, { tokenDecimals, tokenSymbol, amountWei });
  }
  return [...sums.values()];
}
