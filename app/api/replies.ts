import { z } from "zod";
import { PAGE_LIMIT_MAX } from "../domain/pagination";
import { REWARD_CHAIN_IDS } from "../domain/rewards/reward";
import { isRewardChainId } from "../domain/rewards/reward-chain";

// Shapes of answers that several endpoints share. They are strict: an undocumented field fails a
// test. A shape with an `id` is a schema of its own in the OpenAPI document.

export const AddressReply = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ id: "Address", description: "A wallet or contract: 0x and 40 lowercase digits" });

const TierReply = z
  .strictObject({
    name: z.string().describe("The tier's name"),
    pointsMin: z.int().nonnegative().describe("Its least points"),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .describe("Its colour"),
  })
  .meta({ id: "Tier" });

const StreakReply = z
  .strictObject({
    key: z.string().describe("The streak's key"),
    name: z.string().describe("Its name"),
    current: z
      .int()
      .nonnegative()
      .describe("Days in a row up to today or yesterday; 0 when neither counts"),
    longest: z.int().nonnegative().describe("The most days in a row so far"),
    lastDay: z.iso.date().nullable().describe("The last day that counts; null for none"),
  })
  .meta({ id: "Streak" });

export const WalletEntryReply = z
  .strictObject({
    address: AddressReply.describe("The wallet, lowercase"),
    points: z.int().nonnegative().describe("Points in total"),
    events: z.int().nonnegative().describe("Number of point events"),
    rank: z.int().positive().describe("Place on the whole leaderboard, from 1"),
    tier: TierReply.nullable()
      .optional()
      .describe("With include=tier: the tier of all its points; null below the lowest"),
    streaks: z
      .array(StreakReply)
      .optional()
      .describe("With include=streaks: its days in a row for each streak"),
  })
  .meta({ id: "WalletEntry" });

export const PaginationReply = z
  .strictObject({
    page: z.int().positive().describe("This page, from 1"),
    limit: z.int().min(1).max(PAGE_LIMIT_MAX).describe("Entries on a page"),
    total: z.int().nonnegative().describe("Entries on all pages"),
    totalPages: z.int().nonnegative().describe("Number of pages; 0 when there are no entries"),
  })
  .meta({ id: "Pagination" });

export const RewardChainReply = z.int().refine(isRewardChainId).meta({
  enum: REWARD_CHAIN_IDS,
  description: "5031 Somnia, 50312 its testnet, 8453 Base, 84532 Base Sepolia",
});

/** A whole number of a token's base units, or of an id on chain: too large for a JSON number. */
export const BaseUnitsReply = z.string().regex(/^(0|[1-9]\d*)$/);

/** 32 bytes: a transaction, or a node of a Merkle tree. */
export const HashReply = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Formats a time as answers write it. */
export function toIso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
