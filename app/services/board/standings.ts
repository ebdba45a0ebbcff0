import { eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { hotQuery } from "../../db/client";
import { apiKeys } from "../../db/schema/api-keys";
import { blacklist, wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { ensNames } from "../ens/names";

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
 * @throws {Failure} `invalid_address_or_ens` for a name that has no address; `ens_unavailable` when
 *   ENS gives no answer; `invalid_api_key` for a key that was deleted meanwhile
 */
export async function getWalletPoints(
  apiKeyId: string,
  wallet: WalletReference,
): Promise<WalletPoints> {
  if ("address" in wallet) {
    const { address } = wallet;
    const [ens, pointSystems] = await Promise.all([
      ensNames.findPrimaryName(address),
      listStandings(apiKeyId, address),
    ]);
    return describePoints(address, ens.value, ens.resolvedAt, pointSystems);
  }
  const { value: address, resolvedAt } = await ensNames.findAddress(wallet.name);
  if (address === null) throw new Failure("invalid_address_or_ens");
  const pointSystems = await listStandings(apiKeyId, address);
  return describePoints(address, wallet.name, resolvedAt, pointSystems);
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

function describePoints(
  hexAddress: Address,
  ens: string | null,
  resolvedAt: Date,
  pointSystems: Standing[],
): WalletPoints {
  const blacklistedCount = pointSystems.filter(({ isBlacklisted }) => isBlacklisted).length;
  return {
    address: ens ?? hexAddress,
    ens,
    hexAddress,
    resolvedAt: resolvedAt.toISOString(),
    pointSystems,
    summary: {
      totalPointSystems: pointSystems.length,
      // The sum is rounded once, if it is more than a number holds exactly.
      totalPoints: Number(pointSystems.reduce((sum, { points }) => sum + BigInt(points), 0n)),
      blacklistedCount,
      isBlacklisted: blacklistedCount > 0,
    },
  };
}
