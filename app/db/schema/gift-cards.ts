import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { address, bytes, moment } from "./columns";
import { rewards } from "./rewards";

export const giftCardTiers = pgTable(
  "gift_card_tiers",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    label: text().notNull(),
    position: integer().notNull(),
    minPoints: bigint("min_points", { mode: "number" }),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.label] }),
    foreignKey({
      name: "gift_card_tiers_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
  ],
);

/** One code, encrypted; in the pool while it has no address. */
export const giftCards = pgTable(
  "gift_cards",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    id: uuid().notNull().defaultRandom(),
    tierLabel: text("tier_label").notNull(),
    address: address(),
    /** AES-256-GCM: ciphertext and tag; the row and its reward are the associated data. */
    codeCiphertext: bytes("code_ciphertext").notNull(),
    codeNonce: bytes("code_nonce").notNull(),
    codeKeyId: text("code_key_id").notNull(),
    isRevealed: boolean("is_revealed").notNull().default(false),
    distributedAt: moment("distributed_at"),
    claimedAt: moment("claimed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.id] }),
    unique("gift_cards_id").on(table.pointSystemId, table.id),
    index("gift_cards_wallet").on(table.pointSystemId, table.address),
    foreignKey({
      name: "gift_cards_tier",
      columns: [table.pointSystemId, table.rewardId, table.tierLabel],
      foreignColumns: [giftCardTiers.pointSystemId, giftCardTiers.rewardId, giftCardTiers.label],
    }).onDelete("cascade"),
    check("gift_cards_address_length", sql`octet_length(${table.address}) = 20`),
    check("gift_cards_nonce_length", sql`octet_length(${table.codeNonce}) = 12`),
  ],
);
