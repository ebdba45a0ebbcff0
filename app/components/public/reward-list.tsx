import { getButtonClass } from "../ui/button";
import { TokenAmount } from "../ui/token-amount";

interface Reward {
  id: string;
  name: string;
  stage: string;
  isPaidByHand: boolean;
  amount: { totalAmountWei: bigint; tokenDecimals: number; tokenSymbol: string } | null;
}

/**
 * Announces the rewards of a point system, with the way to its claim page.
 * @param props.rewards the newest ones
 */
export function PublicRewards({ rewards, slug }: { rewards: readonly Reward[]; slug: string }) {
  return (
    <section
      aria-label="Rewards"
      className="mt-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-xl border border-line bg-raised p-4 shadow-sm"
    >
      <ul className="min-w-0 space-y-1 text-sm empty:hidden">
        {rewards.map(({ id, name, stage, isPaidByHand, amount }) => (
          <li key={id} className="break-words">
            <span className="font-medium">{name}</span>
            {amount && (
              <>
                {" · "}
                <TokenAmount amountWei={amount.totalAmountWei} token={amount} />
              </>
            )}
            <span className="text-ink-muted">
              {" · "}
              {stage !== "claimable" ? "Announced" : isPaidByHand ? "Paying out" : "Open now"}
            </span>
          </li>
        ))}
      </ul>
      {/* The claim page connects wallets, and is a document of its own. */}
      <a href={`/claim/${slug}`} className={getButtonClass("primary")}>
        Claim rewards
      </a>
    </section>
  );
}
