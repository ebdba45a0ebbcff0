import { sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import { wallets } from "../../db/schema/ledger";
import type { Address } from "../../domain/address";
import { selectOwnPoints } from "./counted-points";

// A wallet's standing in rewards that are not split yet, for GET /rewards and the claim page.

/** A wallet as rewards judge it. */
interface WalletStanding {
  /** The points of the wallet that holds its points. */
  readonly points: number;
  /** Whether it gets nothing: it is blacklisted, or the wallet that holds its points is. */
  readonly isBlacklisted: boolean;
}

const system = sql`${sql.placeholder("pointSystemId")}::uuid`;
const asked = sql`${sql.param(sql.placeholder("address"), wallets.address)}::bytea`;

/** The wallet that holds the points of the asked one: itself while it is blacklisted. Its shares are its own. */
const holder = sql`find_primary(${system}, ${asked})`;

const selectStanding = replicatedQuery("shared", (db) =>
  db
    .select({
      points:
        sql<number>`coalesce((select p.points from read_wallet_points(${system}, ${holder}) p), 0)`.mapWith(
          Number,
        ),
      isBlacklisted: sql<boolean>`exists (select from find_blacklist_entry(${system}, ${holder}))`,
    })
    .from(sql`(select 1) as wallet`)
    .prepare("find_reward_standing"),
);

/** Finds a wallet's points and whether it is blacklisted, as rewards look at them. */
export async function findStanding(
  pointSystemId: string,
  address: Address,
): Promise<WalletStanding> {
  const [standing] = await selectStanding({ pointSystemId, address });
  return standing ?? { points: 0, isBlacklisted: false };
}

/**
 * Makes the column of a prepared query of `rewards` with the points that a reward counts; null for those of the standing.
 * The query has the parameters of `findStanding`.
 */
export const ownPointsColumn = () =>
  selectOwnPoints({ pointSystemId: system, address: asked, holder });
