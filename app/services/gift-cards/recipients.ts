import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { giftCardReveals, giftCards } from "../../db/schema/gift-cards";
import type { Address } from "../../domain/address";
import type { Cursor } from "../../domain/cursor";
import type { Member } from "../access/members";
import {
  type KeysetList,
  type KeysetPage,
  readKeysetPage,
  readWholeList,
  type Slice,
} from "../runtime/keyset";

/** An assigned card, without its code. */
export interface Recipient {
  readonly id: string;
  readonly address: Address;
  readonly tier: string;
  readonly date: Date;
  readonly isRevealed: boolean;
  readonly claimedAt: Date | null;
}

/** One reveal of a code. */
export interface Reveal {
  readonly id: string;
  readonly address: Address;
  readonly tier: string;
  readonly date: Date;
  /** A pseudonym of the network: equal for equal networks. */
  readonly network: string;
  readonly userAgent: string;
}

const NETWORK_CHARACTERS = 8;

/** The filter for a reward's rows. */
interface Wanted {
  readonly rewardId: string;
  /** The only wallet that is listed; null for all wallets. */
  readonly address: Address | null;
  readonly cursor: Cursor | null;
}

/** Lists the assigned cards of a reward, newest first. */
export function listRecipients(member: Member, wanted: Wanted): Promise<KeysetPage<Recipient>> {
  return readKeysetPage(toRecipientList(member, wanted), wanted.cursor);
}

/** Reads all assigned cards of a reward, newest first. */
export function readAllRecipients(member: Member, rewardId: string): AsyncGenerator<Recipient> {
  return readWholeList(toRecipientList(member, { rewardId, address: null }));
}

const toRecipientList = (
  member: Member,
  wanted: Omit<Wanted, "cursor">,
): KeysetList<Recipient> => ({
  date: giftCards.distributedAt,
  id: giftCards.id,
  keyOf: ({ date, id }) => ({ date, id }),
  select: (slice) => selectRecipients(member, wanted, slice),
});

async function selectRecipients(
  { pointSystemId }: Member,
  { rewardId, address }: Omit<Wanted, "cursor">,
  { where, orderBy, limit }: Slice,
): Promise<Recipient[]> {
  return withDatabase((db) =>
    db
      .select({
        id: giftCards.id,
        address: sql<Address>`${giftCards.address}`.mapWith(giftCards.address),
        tier: giftCards.tierLabel,
        date: sql<Date>`${giftCards.distributedAt}`.mapWith(giftCards.distributedAt),
        isRevealed: giftCards.isRevealed,
        claimedAt: giftCards.claimedAt,
      })
      .from(giftCards)
      .where(
        and(
          eq(giftCards.pointSystemId, pointSystemId),
          eq(giftCards.rewardId, rewardId),
          isNotNull(giftCards.address),
          isNotNull(giftCards.distributedAt),
          address === null ? undefined : eq(giftCards.address, address),
          where,
        ),
      )
      .orderBy(...orderBy)
      .limit(limit),
  );
}

/** Lists the reveals of a reward's codes, newest first. */
export function listReveals(member: Member, wanted: Wanted): Promise<KeysetPage<Reveal>> {
  return readKeysetPage(
    {
      date: giftCardReveals.revealedAt,
      id: giftCardReveals.id,
      keyOf: ({ date, id }) => ({ date, id }),
      select: (slice) => selectReveals(member, wanted, slice),
    },
    wanted.cursor,
  );
}

async function selectReveals(
  { pointSystemId }: Member,
  { rewardId, address }: Wanted,
  { where, orderBy, limit }: Slice,
): Promise<Reveal[]> {
  const rows = await withDatabase((db) =>
    db
      .select({
        id: giftCardReveals.id,
        address: giftCardReveals.address,
        tier: tierOf,
        date: giftCardReveals.revealedAt,
        networkHash: giftCardReveals.networkHash,
        userAgent: giftCardReveals.userAgent,
      })
      .from(giftCardReveals)
      .where(
        and(
          eq(giftCardReveals.pointSystemId, pointSystemId),
          eq(giftCardReveals.rewardId, rewardId),
          address === null ? undefined : eq(giftCardReveals.address, address),
          where,
        ),
      )
      .orderBy(...orderBy)
      .limit(limit),
  );
  return rows.map(({ networkHash, ...row }) => ({
    ...row,
    network: Buffer.from(networkHash).toString("hex").slice(0, NETWORK_CHARACTERS),
  }));
}

const tierOf: SQL<string> = sql`(
  select c.tier_label from gift_cards c
  where c.point_system_id = ${giftCardReveals.pointSystemId} and c.id = ${giftCardReveals.cardId}
)`;
