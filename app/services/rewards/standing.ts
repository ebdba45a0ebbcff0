import { type SQL, sql } from "drizzle-orm";
import { replicatedQuery } from "../../db/replicated";
import { wallets } from "../../db/schema/ledger";
import { rewards } from "../../db/schema/rewards";
import type { Address } from "../../domain/address";
import { selectOwnPoints } from "./counted-points";

// A wallet's standing in rewards that are not split yet, for GET /rewards and the claim page.

/** A wallet as rewards judge it. */
interface WalletStanding {
  /** The points of the wallet that holds its points. */
  readonly points: number;
  readonly isBlacklisted: boolean;
  readonly isHolderBlacklisted: boolean;
}

const system = sql`${sql.placeholder("pointSystemId")}::uuid`;
const asked = sql`${sql.param(sql.placeholder("address"), wallets.address)}::bytea`;

/** The wallet that holds the points of the asked one. Its shares are its own. */
const holder = sql`find_primary(${system}, ${asked})`;

const selectStanding = replicatedQuery("shared", (db) => {
  const isBlacklisted = (wallet: SQL) =>
    sql<boolean>`exists (select from find_blacklist_entry(${system}, ${wallet}))`;
  return db
    .select({
      points:
        sql<number>`coalesce((select p.points from read_wallet_points(${system}, ${holder}) p), 0)`.mapWith(
          Number,
        ),
      isBlacklisted: isBlacklisted(asked),
      isHolderBlacklisted: isBlacklisted(holder),
    })
    .from(sql`(select 1) as wallet`)
    .prepare("find_reward_standing");
});

/** Finds the points and the bans by which `judgeWallet` judges a wallet. */
export async function findStanding(
  pointSystemId: string,
  address: Address,
): Promise<WalletStanding> {
  const [standing] = await selectStanding({ pointSystemId, address });
  return standing ?? { points: 0, isBlacklisted: false, isHolderBlacklisted: false };
}

/** Makes the columns of a prepared query of `rewards` that `judgeWallet` takes. It has the parameters of `findStanding`. */
export const judgedColumns = () => ({
  isOfEndedBoard: sql<boolean>`${rewards.kind} = 'token' and ${rewards.pointsWindowId} is not null`,
  ownPoints: selectOwnPoints({ pointSystemId: system, address: asked, holder }),
});

/**
 * Judges a wallet by a reward that is not split yet. The campaign of a board pays the wallets of the board's end, so it
 * looks at the wallet itself. Any other reward looks at the wallet that holds its points, as the reveal of a gift card
 * does.
 */
export function judgeWallet(
  { points, isBlacklisted, isHolderBlacklisted }: WalletStanding,
  {
    isOfEndedBoard,
    ownPoints,
  }: { readonly isOfEndedBoard: boolean; readonly ownPoints: number | null },
): { readonly points: number; readonly isExcluded: boolean } {
  return {
    points: ownPoints ?? points,
    isExcluded: isOfEndedBoard ? isBlacklisted : isHolderBlacklisted,
  };
}
