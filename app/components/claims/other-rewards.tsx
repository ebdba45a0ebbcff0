import type { ReactNode } from "react";
import type { ClaimOverview, ClaimReward } from "../../domain/claims/overview";
import { isPaidByHand } from "../../domain/rewards/stage";
import { Badge } from "../ui/badge";
import { Card } from "../ui/card";
import { Count } from "../ui/local";
import { TokenAmount } from "../ui/token-amount";
import { Deadline } from "./deadline";

/** Lists the rewards of which the wallet can claim nothing on chain now, with the reason. */
export function OtherRewards({
  overview,
  rewards,
}: {
  overview: ClaimOverview;
  rewards: readonly ClaimReward[];
}) {
  return (
    <>
      {rewards.map((reward) => {
        const { word, tone, text, isSettled } = describeReward(reward, overview);
        return (
          <Card
            key={reward.rewardId}
            heading={reward.name}
            aside={<Badge tone={tone}>{word}</Badge>}
            isFolded={isSettled ?? false}
          >
            <div className="space-y-2 p-4 text-sm sm:p-5">{text}</div>
          </Card>
        );
      })}
    </>
  );
}

interface Described {
  readonly word: string;
  readonly tone: "neutral" | "danger" | "accent" | "success";
  readonly text: ReactNode;
  /** Whether nothing of it is left to wait for; its card is folded. */
  readonly isSettled?: true;
}

/** Checks whether a wallet has nothing left to wait for in a reward. */
export const isSettledReward = (reward: ClaimReward, overview: ClaimOverview): boolean =>
  describeReward(reward, overview).isSettled ?? false;

function describeReward(reward: ClaimReward, overview: ClaimOverview): Described {
  const { share, minPoints, points } = reward;
  if (share?.amountWei === "0") {
    return {
      word: "Nothing to claim",
      tone: "neutral",
      isSettled: true,
      text: (
        <p>
          This wallet's part of the total is less than the smallest unit of{" "}
          {reward.tokenSymbol ?? "the token"}.
        </p>
      ),
    };
  }
  if (share && (reward.airdropStatus === "ended" || (isPaidByHand(reward) && share.claimedAt))) {
    return describeEnded(reward, share);
  }
  if (reward.isCancelled) {
    return {
      word: "Cancelled",
      tone: "danger",
      isSettled: true,
      text: <p>This campaign was cancelled. There is nothing to claim.</p>,
    };
  }
  if (share && isPaidByHand(reward)) {
    return {
      word: reward.status === "distributed" ? "To be paid" : "Allocation pending",
      tone: "accent",
      text: (
        <p>
          {reward.status === "distributed" && (
            <>
              <ShareAmount reward={reward} share={share} /> are allocated to this wallet.{" "}
            </>
          )}
          The organisers pay {reward.tokenSymbol} themselves, outside this page, and mark it here
          once it is paid. There is nothing to claim, and this page asks for no other address.
        </p>
      ),
    };
  }
  if (share) {
    return {
      word: "Allocation pending",
      tone: "accent",
      text: (
        <p>
          This wallet is eligible. You can see and claim its amount here once the campaign is on
          chain. There is nothing to do yet.
        </p>
      ),
    };
  }
  if (overview.isBlacklisted) {
    return {
      word: "Excluded",
      tone: "danger",
      text: <p>This wallet is excluded. If this looks wrong, ask the organisers.</p>,
    };
  }
  if (reward.isSplit) {
    return {
      word: "Not eligible",
      tone: "neutral",
      isSettled: true,
      text: (
        <p>
          This reward was already given out, and this wallet was not eligible
          {minPoints !== null && (
            <>
              {" "}
              (it needed <Count value={minPoints} /> {nameUnit(minPoints)})
            </>
          )}
          .
        </p>
      ),
    };
  }
  const counting = points === overview.points ? "" : " that count for this reward";
  if (minPoints !== null && points < minPoints) {
    return {
      word: "Points needed",
      tone: "neutral",
      text: (
        <p>
          <Count value={minPoints - points} /> more {nameUnit(minPoints - points)}{" "}
          {minPoints - points === 1 ? "is" : "are"} needed: this wallet has <Count value={points} />
          {counting && ` ${nameUnit(points)}${counting},`} of <Count value={minPoints} />.
        </p>
      ),
    };
  }
  return {
    word: "Eligible",
    tone: "success",
    text: (
      <p>
        This wallet has <Count value={points} /> {nameUnit(points)}
        {counting}
        {minPoints === null ? ". " : ", which is enough. "}
        Its amount is decided when the reward is split.{" "}
        {isPaidByHand(reward)
          ? `The organisers then pay it in ${reward.tokenSymbol} themselves.`
          : "Then it can be claimed here."}
      </p>
    ),
  };
}

const nameUnit = (count: number) => (count === 1 ? "point" : "points");

type Share = NonNullable<ClaimReward["share"]>;

function ShareAmount({ reward, share }: { reward: ClaimReward; share: Share }) {
  const token = {
    tokenDecimals: reward.tokenDecimals ?? 18,
    tokenSymbol: reward.tokenSymbol ?? "",
  };
  return <TokenAmount amountWei={BigInt(share.amountWei)} token={token} />;
}

function describeEnded(reward: ClaimReward, share: Share): Described {
  const amount = <ShareAmount reward={reward} share={share} />;
  if (share.claimedAt) {
    return {
      word: "Claimed",
      tone: "success",
      isSettled: true,
      text: (
        <>
          <p>
            {amount} were paid out on <Deadline iso={share.claimedAt} />.
          </p>
          {share.payoutReference && (
            <p className="break-all text-ink-muted">Reference: {share.payoutReference}</p>
          )}
        </>
      ),
    };
  }
  return {
    word: reward.isCancelled ? "Cancelled" : "Deadline passed",
    tone: reward.isCancelled ? "danger" : "neutral",
    isSettled: true,
    text: (
      <>
        <p>
          {amount} were not claimed.{" "}
          {reward.isCancelled
            ? "The campaign was cancelled. The contract no longer pays."
            : "The deadline has passed. The contract no longer pays."}
        </p>
        <p className="text-ink-muted">Ask the organisers what happens to it.</p>
      </>
    ),
  };
}
