import type { z } from "zod";
import { loader as activity } from "../activity";
import { loader as balance } from "../balance";
import type { Shapes } from "../endpoint";
import type { EndpointPath } from "../endpoints";
import { loader as leaderboard } from "../leaderboard";
import { mapOperations } from "../manage/operations";
import { loader as points } from "../points";
import { loader as rewards } from "../rewards";
import { loader as claimStatus } from "../rewards/claim-status";
import { loader as proof } from "../rewards/proof";
import { loader as score } from "../score";
import { loader as spend } from "../spend";
import { loader as reverse } from "../spend/reverse";
import { loader as trigger } from "../trigger";
import { loader as batch } from "../trigger/batch";
import { loader as wallet } from "../wallet";
import { loader as wallets } from "../wallets";

/** The documented part of an endpoint's declaration. */
export type Documented = Omit<Shapes<unknown, z.ZodType>, "parse">;

/** The declarations of all endpoints, from which the reference is made. */
export const DECLARATIONS: Readonly<Record<EndpointPath, Documented>> = {
  trigger: trigger.declaration,
  "trigger/batch": batch.declaration,
  spend: spend.declaration,
  "spend/reverse": reverse.declaration,
  balance: balance.declaration,
  leaderboard: leaderboard.declaration,
  wallet: wallet.declaration,
  wallets: wallets.declaration,
  activity: activity.declaration,
  rewards: rewards.declaration,
  "rewards/proof": proof.declaration,
  "rewards/claim-status": claimStatus.declaration,
  points: points.declaration,
  score: score.declaration,
  ...mapOperations(({ declaration }) => declaration),
};
