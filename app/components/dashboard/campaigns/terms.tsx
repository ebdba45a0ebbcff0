import { type CampaignTerms, isErc20, isForeignCoin } from "../../../domain/campaigns/campaign";
import { getPointsNeeded } from "../../../domain/rewards/allocation";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { Address } from "../../ui/address";
import { Fact } from "../../ui/fact";
import { Ago, Count } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";
import { PointsCountedFact } from "../rewards/points-counted";
import { Deadline } from "./deadline";

/**
 * Shows the terms of a campaign.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function CampaignTermsCard({ terms, now }: { terms: CampaignTerms; now: number }) {
  const { tokenType, tokenAddress, tokenSymbol, tokenDecimals, tokenReadAt, chainId } = terms;
  return (
    <dl className="grid gap-x-6 gap-y-4 p-4 text-sm sm:grid-cols-2 sm:p-5 lg:grid-cols-3">
      <Fact label="Total amount">
        <TokenAmount amountWei={terms.totalAmountWei} token={terms} isExact />
      </Fact>
      <Fact label="Token">
        {tokenSymbol}, <Count value={tokenDecimals} /> decimals
        {tokenAddress && (
          <div>
            <Address address={tokenAddress} />
          </div>
        )}
        {isErc20(tokenType) && (
          <p className="text-ink-muted">
            {tokenReadAt ? (
              <>
                Read from the chain <Ago date={tokenReadAt} now={now} />
              </>
            ) : (
              <strong className="font-medium text-danger">Not read from the chain</strong>
            )}
          </p>
        )}
      </Fact>
      <Fact label="Chain">
        {chainId !== null && isRewardChainId(chainId)
          ? `${REWARD_CHAINS[chainId].name} (${chainId})`
          : isForeignCoin(tokenType)
            ? "None. You pay it yourself"
            : "None"}
      </Fact>
      <PointsCountedFact points={terms} />
      <Fact label="Minimum points">
        <Count value={getPointsNeeded(terms.minPoints)} />
      </Fact>
      <Fact label="Maximum points">
        {terms.maxPoints === null ? "No cap" : <Count value={terms.maxPoints} />}
      </Fact>
      <Fact label="Claim deadline">
        {terms.claimDeadline ? (
          <Deadline date={terms.claimDeadline} timeZone={terms.deadlineTimeZone} now={now} />
        ) : (
          "No deadline"
        )}
      </Fact>
    </dl>
  );
}
