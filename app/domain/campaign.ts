import type { TokenType } from "./reward";

/** The most base units that a bucket of the campaign contract holds. */
export const BUCKET_AMOUNT_MAX_WEI = 2n ** 127n - 1n;

export const TOKEN_SYMBOL_LENGTH_MAX = 32;
export const TOKEN_DECIMALS_MAX = 255;

/** Coins of chains on which there is no campaign contract: they are handed out by other means. */
export const FOREIGN_COINS = {
  solana: { symbol: "SOL", decimals: 9 },
  bitcoin: { symbol: "BTC", decimals: 8 },
} as const;

export type ForeignCoin = keyof typeof FOREIGN_COINS;

export function isForeignCoin(tokenType: TokenType): tokenType is ForeignCoin {
  return Object.hasOwn(FOREIGN_COINS, tokenType);
}

/** The tokens that are contracts, and so have an address. */
export function isErc20(tokenType: TokenType): boolean {
  return tokenType === "custom" || tokenType === "usdc" || tokenType === "usdt";
}

/** Fewer points than this give no share, whatever the terms say: a weight of nothing gets nothing. */
export function getPointsNeeded(minPoints: number): number {
  return Math.max(minPoints, 1);
}
