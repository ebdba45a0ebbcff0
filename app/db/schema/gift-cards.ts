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
  uniqueIndex,
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
    /**
     * Wallets with at least this many points get the tier, unless they reach a higher one. Null
     * when points do not give the tier.
     */
    minPoints: bigint("min_points", { mode: "number" }),
  },
  (table) => [
    unique("gift_card_tiers_min_points").on(table.pointSystemId, table.rewardId, table.minPoints),
    check(
      "gift_card_tiers_min_points_range",
      sql`${table.minPoints} between 1 and 9007199254740991`,
    ),
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.label] }),
    foreignKey({
      name: "gift_card_tiers_reward",
      columns: [table.pointSystemId, table.rewardId],
      foreignColumns: [rewards.pointSystemId, rewards.id],
    }).onDelete("cascade"),
  ],
);

/** A code, encrypted. It is in the pool while it has no address. */
export const giftCards = pgTable(
  "gift_cards",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    id: uuid().notNull().defaultRandom(),
    tierLabel: text("tier_label").notNull(),
    address: address(),
    /** AES-256-GCM: ciphertext and tag; the row, its reward and `needsSeal` are the associated data. */
    codeCiphertext: bytes("code_ciphertext").notNull(),
    codeNonce: bytes("code_nonce").notNull(),
    codeKeyId: text("code_key_id").notNull(),
    /** HMAC-SHA256 of the code. It finds a repeated code without decrypting any. */
    codeFingerprint: bytes("code_fingerprint"),
    /**
     * Whether the code is only decrypted for the holder of the seal. False for codes of earlier versions, until they
     * are encrypted again.
     */
    needsSeal: boolean("needs_seal").notNull().default(false),
    /** HMAC-SHA256 of the card and its holder, by the code's key. Null in the pool. */
    holderSeal: bytes("holder_seal"),
    isRevealed: boolean("is_revealed").notNull().default(false),
    distributedAt: moment("distributed_at"),
    claimedAt: moment("claimed_at"),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.id] }),
    unique("gift_cards_id").on(table.pointSystemId, table.id),
    index("gift_cards_wallet").on(table.pointSystemId, table.address),
    // Finds the holders of a reward's cards, and, without an address, its pool.
    index("gift_cards_holder").on(table.pointSystemId, table.rewardId, table.address, table.id),
    // Lists the recipients, newest first.
    index("gift_cards_recipients")
      .on(table.pointSystemId, table.rewardId, table.distributedAt, table.id)
      .where(sql`${table.address} is not null`),
    // The fingerprint uses the code's key: both are renewed together.
    uniqueIndex("gift_cards_fingerprint")
      .on(table.pointSystemId, table.rewardId, table.codeKeyId, table.codeFingerprint)
      .where(sql`${table.codeFingerprint} is not null`),
    // Finds the codes of earlier versions.
    index("gift_cards_without_seal")
      .on(table.pointSystemId, table.rewardId, table.id)
      .where(sql`not ${table.needsSeal}`),
    foreignKey({
      name: "gift_cards_tier",
      columns: [table.pointSystemId, table.rewardId, table.tierLabel],
      foreignColumns: [giftCardTiers.pointSystemId, giftCardTiers.rewardId, giftCardTiers.label],
    }).onDelete("cascade"),
    check("gift_cards_address_length", sql`octet_length(${table.address}) = 20`),
    check("gift_cards_nonce_length", sql`octet_length(${table.codeNonce}) = 12`),
    check("gift_cards_seal_length", sql`octet_length(${table.holderSeal}) = 32`),
    check("gift_cards_fingerprint_length", sql`octet_length(${table.codeFingerprint}) = 32`),
  ],
);

/**
 * Records each view of a code: by whom, when and roughly from where. It never contains the code.
 */
export const giftCardReveals = pgTable(
  "gift_card_reveals",
  {
    pointSystemId: uuid("point_system_id").notNull(),
    rewardId: uuid("reward_id").notNull(),
    id: uuid().notNull().defaultRandom(),
    cardId: uuid("card_id").notNull(),
    address: address().notNull(),
    /** HMAC-SHA256 of the client's network: it can be compared, not read. */
    networkHash: bytes("network_hash").notNull(),
    /** In words, such as `Firefox on Linux`. */
    userAgent: text("user_agent").notNull(),
    revealedAt: moment("revealed_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.pointSystemId, table.rewardId, table.id] }),
    // Lists the log, newest first.
    index("gift_card_reveals_feed").on(
      table.pointSystemId,
      table.rewardId,
      table.revealedAt,
      table.id,
    ),
    // Counts a card's recent views.
    index("gift_card_reveals_card").on(table.pointSystemId, table.cardId, table.revealedAt),
    foreignKey({
      name: "gift_card_reveals_card_fk",
      columns: [table.pointSystemId, table.cardId],
      foreignColumns: [giftCards.pointSystemId, giftCards.id],
    }).onDelete("cascade"),
    check("gift_card_reveals_address_length", sql`octet_length(${table.address}) = 20`),
    check("gift_card_reveals_network_length", sql`octet_length(${table.networkHash}) = 32`),
  ],
);
