import { Link } from "@remix-run/react";
import type { StagedReward } from "../../../domain/rewards/stage";
import { Count } from "../../ui/local";
import { RewardBadge } from "../rewards/badge";
import { getSectionPath } from "../shell/sections";

interface Reward extends StagedReward {
  id: string;
  campaignName: string;
  wallets: number;
}

/** Lists the newest published rewards, with their stages. */
export function RewardSummaries({
  rewards,
  pointSystemId,
}: {
  rewards: readonly Reward[];
  pointSystemId: string;
}) {
  return (
    <ul className="divide-y divide-line">
      {rewards.map((reward) => {
        const { id, kind, campaignName, wallets } = reward;
        const section = kind === "token" ? "rewards" : "gift-cards";
        return (
          <li key={id}>
            <Link
              to={getSectionPath(pointSystemId, `${section}/${id}`)}
              className="flex items-center justify-between gap-3 px-4 py-3 text-sm -outline-offset-2 hover:bg-sunken sm:px-5"
            >
              <span className="min-w-0">
                <span className="block truncate font-medium">{campaignName}</span>
                <span className="text-xs text-ink-muted">
                  <Count value={wallets} /> {wallets === 1 ? "wallet" : "wallets"}
                </span>
              </span>
              <RewardBadge reward={reward} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
