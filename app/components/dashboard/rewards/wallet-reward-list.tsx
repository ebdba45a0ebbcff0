import { Link } from "@remix-run/react";
import { Badge } from "../../ui/badge";
import { Day } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

interface WalletReward {
  id: string;
  rewardId: string;
  name: string;
  date: Date | null;
  claimedAt: Date | null;
  what:
    | { kind: "token"; amountWei: bigint; tokenDecimals: number; tokenSymbol: string }
    | { kind: "giftcard"; tier: string; isRevealed: boolean };
}

/**
 * Lists the rewards of a wallet, each with the way to it.
 * @param props.getHref returns the address of a reward's page
 */
export function WalletRewardList({
  rewards,
  getHref,
}: {
  rewards: readonly WalletReward[];
  getHref: (reward: WalletReward) => string;
}) {
  if (rewards.length === 0) {
    return <p className="px-4 py-4 text-sm text-ink-muted sm:px-5">No rewards yet.</p>;
  }
  return (
    <ul className="divide-y divide-line">
      {rewards.map((reward) => {
        const { id, name, date, claimedAt, what } = reward;
        return (
          <li key={id} className="flex items-start justify-between gap-3 px-4 py-3 text-sm sm:px-5">
            <div className="min-w-0">
              <p className="break-words font-medium">
                <Link to={getHref(reward)} className="text-accent hover:underline">
                  {name}
                </Link>
              </p>
              <p className="break-words">
                {what.kind === "token" ? (
                  <TokenAmount amountWei={what.amountWei} token={what} />
                ) : (
                  `Gift card, ${what.tier}${what.isRevealed ? ", revealed" : ", not revealed"}`
                )}
              </p>
              <p className="text-xs text-ink-muted">
                {date && (
                  <>
                    Given <Day date={date} />
                  </>
                )}
                {claimedAt && (
                  <>
                    {date ? ", claimed " : "Claimed "}
                    <Day date={claimedAt} />
                  </>
                )}
              </p>
            </div>
            {claimedAt ? <Badge tone="success">Claimed</Badge> : <Badge>Unclaimed</Badge>}
          </li>
        );
      })}
    </ul>
  );
}
