import { and, eq, isNull, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { hotQuery } from "../../db/client";
import { apiKeyPointSystems, apiKeys } from "../../db/schema/api-keys";
import { blacklist, wallets } from "../../db/schema/ledger";
import { pointSystems } from "../../db/schema/point-systems";
import type { Address } from "../../domain/address";
import type { BoardReference } from "../../domain/board/board-reference";
import { Failure } from "../../domain/failure";
import { ensNames } from "../ens/names";
import { requireReady } from "./named-board";

/** The standing of a wallet in one point system. */
interface Standing {
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly points: number;
  readonly events: number;
  /** Null for a blacklisted wallet that has no entry. */
  readonly rank: number | null;
  /** The number of all wallet entries, including blacklisted ones. */
  readonly totalParticipants: number;
  readonly isBlacklisted: boolean;
  readonly blacklistReason: string | null;
  readonly blacklistedAt: string | null;
}

/** The standings of a wallet in all point systems in a key's scope. */
export interface WalletPoints {
  readonly address: string;
  readonly ens: string | null;
  readonly hexAddress: Address;
  readonly resolvedAt: string;
  readonly pointSystems: Standing[];
  readonly summary: {
    readonly totalPointSystems: number;
    readonly totalPoints: number;
    readonly blacklistedCount: number;
    readonly isBlacklisted: boolean;
  };
}

/** The requested wallet: an address, or a normalized ENS name. */
export type WalletReference = { readonly address: Address } | { readonly name: string };

const selectStandings = hotQuery((db) =>
  db
    .select({
      version: sql<string | null>`s.version`,
      id: sql<string | null>`s.point_system_id`,
      name: sql<string>`s.name`,
      slug: sql<string | null>`s.slug`,
      points: sql`s.points`.mapWith(Number),
      events: sql`s.events`.mapWith(Number),
      rank: sql<number | null>`s.rank`.mapWith(Number),
      totalParticipants: sql`s.participants`.mapWith(Number),
      isBlacklisted: sql<boolean>`s.is_blacklisted`,
      blacklistReason: sql<string | null>`s.blacklist_reason`,
      blacklistedAt: sql<Date | null>`s.blacklisted_at`.mapWith(blacklist.createdAt),
    })
    .from(apiKeys)
    .leftJoinLateral(
      sql`list_standings(${apiKeys.id}, ${sql.param(sql.placeholder("address"), wallets.address)}, ${sql.placeholder("knownVersion")}) s`,
      sql`true`,
    )
    .where(eq(apiKeys.id, sql.placeholder("apiKeyId")))
    .prepare("list_standings"),
);

/**
 * Reads a wallet's points in every point system in an API key's scope, in one snapshot, and its ENS
 * name.
 * @param board the all-time board when left out; point systems without the named board are passed over
 * @throws {Failure} `invalid_address_or_ens` for a name that has no address; `ens_unavailable` when
 *   ENS gives no answer; `invalid_api_key` for a key that was deleted meanwhile; `board_not_found` when no point
 *   system in the scope has the board, `service_unavailable` while one of them counts it
 */
export async function getWalletPoints(
  apiKeyId: string,
  wallet: WalletReference,
  board?: BoardReference,
): Promise<WalletPoints> {
  const list = (address: Address) =>
    board ? listStandingsOnBoard(apiKeyId, address, board) : listStandings(apiKeyId, address);
  if ("address" in wallet) {
    const { address } = wallet;
    const [ens, standings] = await Promise.all([
      ensNames.findPrimaryName(address, apiKeyId),
      list(address),
    ]);
    return describePoints(address, ens.value, ens.resolvedAt, standings);
  }
  const { value: address, resolvedAt } = await ensNames.findAddress(wallet.name, apiKeyId);
  if (address === null) throw new Failure("invalid_address_or_ens");
  const standings = await list(address);
  return describePoints(address, wallet.name, resolvedAt, standings);
}

/** The answers that were read; each is used while the database confirms that it still holds. */
const answers = new LRUCache<string, { readonly version: string; readonly standings: Standing[] }>({
  // The standings have a few hundred bytes each.
  maxSize: 50_000,
  sizeCalculation: ({ standings }) => 1 + standings.length,
});

/**
 * Lists the point systems in which a wallet has an entry or is blacklisted, the oldest first. An
 * earlier answer is used again if the same statement confirms that it still holds.
 */
async function listStandings(apiKeyId: string, address: Address): Promise<Standing[]> {
  const question = `${apiKeyId} ${address}`;
  const known = answers.get(question);
  const knownVersion = known?.version ?? null;
  const [header, ...rows] = await selectStandings({ apiKeyId, address, knownVersion });
  if (!header) throw new Failure("invalid_api_key");
  if (known && header.version === known.version) return known.standings;
  const standings = rows.flatMap(({ version: _, id, blacklistedAt, ...standing }) =>
    id === null ? [] : { id, ...standing, blacklistedAt: blacklistedAt?.toISOString() ?? null },
  );
  if (header.version !== null) answers.set(question, { version: header.version, standings });
  return standings;
}

const selectStandingsOnBoard = hotQuery((db) =>
  db
    .select({
      id: pointSystems.id,
      name: pointSystems.name,
      slug: pointSystems.slug,
      points: sql`coalesce(f.points, 0)`.mapWith(Number),
      events: sql`coalesce(f.events, 0)`.mapWith(Number),
      rank: sql<number | null>`f.rank`.mapWith(Number),
      totalParticipants: sql`f.participants`.mapWith(Number),
      blacklistReason: sql<string | null>`f.blacklist_reason`,
      blacklistedAt: sql<Date | null>`f.blacklisted_at`.mapWith(blacklist.createdAt),
      isReady: sql<boolean>`f.is_ready`,
      hasPoints: sql<boolean>`f.points is not null`,
    })
    .from(apiKeyPointSystems)
    .innerJoin(
      pointSystems,
      and(eq(pointSystems.id, apiKeyPointSystems.pointSystemId), isNull(pointSystems.deletedAt)),
    )
    .innerJoinLateral(
      sql`read_board_entry(
        ${pointSystems.id}, ${sql.placeholder("key")}::text, ${sql.placeholder("label")}::text,
        ${sql.param(sql.placeholder("address"), wallets.address)}::bytea
      ) f`,
      sql`true`,
    )
    .where(eq(apiKeyPointSystems.apiKeyId, sql.placeholder("apiKeyId")))
    .orderBy(pointSystems.createdAt, pointSystems.id)
    .prepare("list_standings_on_board"),
);

/** Lists the point systems on whose named board a wallet has points, or that have blacklisted it, the oldest first. */
async function listStandingsOnBoard(
  apiKeyId: string,
  address: Address,
  board: BoardReference,
): Promise<Standing[]> {
  const rows = await selectStandingsOnBoard({ apiKeyId, address, ...board });
  if (rows.length === 0) throw new Failure("board_not_found");
  return rows.flatMap(({ hasPoints, isReady, blacklistedAt, blacklistReason, ...standing }) => {
    requireReady({ isReady });
    const isBlacklisted = blacklistedAt !== null;
    if (!hasPoints && !isBlacklisted) return [];
    return {
      ...standing,
      isBlacklisted,
      blacklistReason,
      blacklistedAt: blacklistedAt?.toISOString() ?? null,
    };
  });
}

function describePoints(
  hexAddress: Address,
  ens: string | null,
  resolvedAt: Date,
  standings: Standing[],
): WalletPoints {
  const blacklistedCount = standings.filter(({ isBlacklisted }) => isBlacklisted).length;
  return {
    address: ens ?? hexAddress,
    ens,
    hexAddress,
    resolvedAt: resolvedAt.toISOString(),
    pointSystems: standings,
    summary: {
      totalPointSystems: standings.length,
      // The sum is rounded once, if it is more than a number holds exactly.
      totalPoints: Number(standings.reduce((sum, { points }) => sum + BigInt(points), 0n)),
      blacklistedCount,
      isBlacklisted: blacklistedCount > 0,
    },
  };
}
