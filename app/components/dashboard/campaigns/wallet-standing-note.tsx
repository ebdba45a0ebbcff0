import type { ReactNode } from "react";
import type { CampaignTerms, Eligibility } from "../../../domain/campaigns/campaign";
import { Address } from "../../ui/address";
import { Count, Day, Share } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

/**
 * Explains the standing of a wallet that has no share of a campaign.
 * @param props.totalWeight the weight of all wallets that would share, were it split now; null
 *   after the split
 */
export function WalletStandingNote({
  address,
  standing,
  campaign,
  totalWeight,
}: {
  address: string;
  standing: Eligibility;
  campaign: Pick<CampaignTerms, "totalAmountWei" | "tokenDecimals" | "tokenSymbol" | "maxPoints">;
  totalWeight: bigint | null;
}) {
  return (
    <div role="status" className="space-y-1 text-sm">
      <p>
        <Address address={address} />
      </p>
      <p>{explainStanding(standing, campaign, totalWeight)}</p>
    </div>
  );
}

function explainStanding(
  standing: Eligibility,
  campaign: Parameters<typeof WalletStandingNote>[0]["campaign"],
  totalWeight: bigint | null,
): ReactNode {
  switch (standing.kind) {
    case "unknown":
      return "It never had points here, so it gets nothing.";
    case "linked":
      return (
        <>
          Its primary wallet has its points, so it gets nothing:{" "}
          <Address address={standing.primary} />
        </>
      );
    case "blacklisted":
      return (
        <>
          It is blacklisted since <Day date={standing.since} />, so it gets nothing.
        </>
      );
    case "below":
      return (
        <>
          It has <Count value={standing.points} /> of the <Count value={standing.needed} /> points
          needed, so it gets nothing.
        </>
      );
    case "served":
      return (
        <>
          Another wallet has a share for the points that it holds now, so it gets nothing:{" "}
          <Address address={standing.former} />
        </>
      );
    case "eligible":
      if (!totalWeight) {
        return (
          <>
            It has <Count value={standing.points} /> points now, which is enough. At the snapshot it
            had too few, or was blacklisted. A later split can add it.
          </>
        );
      }
      return (
        <>
          It would get{" "}
          <strong className="font-medium">
            <TokenAmount
              amountWei={(campaign.totalAmountWei * BigInt(standing.weight)) / totalWeight}
              token={campaign}
            />
          </strong>
          : a weight of <Count value={standing.weight} />
          {standing.weight < standing.points && (
            <>
              , by the cap, of its <Count value={standing.points} /> points
            </>
          )}
          , which is <Share value={standing.weight / Number(totalWeight)} /> of all.
        </>
      );
  }
}
