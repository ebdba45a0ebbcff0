import type { ReactNode } from "react";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { Address } from "../../ui/address";
import { Card } from "../../ui/card";
import { DailyChart } from "../../ui/charts/lazy-chart";
import { DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Figure } from "../../ui/fact";
import { Ago, Count } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";
import { RewardResult } from "../rewards/result";

interface Claim {
  address: string;
  amountWei: bigint;
  claimedAt: Date;
  txHash: string | null;
  reference: string | null;
}

interface Progress {
  wallets: number;
  totalWei: bigint;
  claimed: number;
  claimedWei: bigint;
  days: readonly { day: string; claims: number }[];
  latest: readonly Claim[];
}

/** The days whose claims give the pace; the present day is not over and not counted. */
const PACE_DAYS = 7;

/**
 * Shows the result of a campaign: its claims, or its payouts when the organisers pay it themselves.
 * @param props.children what can be done now
 */
export function ClaimResult({
  progress,
  campaign,
  base,
  now,
  children,
}: {
  progress: Progress;
  campaign: { chainId: number | null; tokenDecimals: number; tokenSymbol: string };
  base: string;
  now: number;
  children?: ReactNode;
}) {
  const { wallets, claimed, claimedWei, totalWei, days, latest } = progress;
  const isByHand = campaign.chainId === null;
  const verb = isByHand ? "paid" : "claimed";
  const noun = isByHand ? "Payouts" : "Claims";
  const left = totalWei > claimedWei ? totalWei - claimedWei : 0n;
  const pace = days.slice(-1 - PACE_DAYS, -1).reduce((sum, day) => sum + day.claims, 0) / PACE_DAYS;
  return (
    <>
      <RewardResult
        label={verb}
        share={totalWei === 0n ? 0 : Number((claimedWei * 10_000n) / totalWei) / 10_000}
        figures={
          <>
            <Figure label={isByHand ? "Paid" : "Claimed"}>
              <TokenAmount amountWei={claimedWei} token={campaign} />
            </Figure>
            <Figure label="Left">
              <TokenAmount amountWei={left} token={campaign} />
            </Figure>
            <Figure label={`Wallets ${verb}`}>
              <Count value={claimed} /> of <Count value={wallets} />
            </Figure>
            <Figure label={`${noun} per day, last ${PACE_DAYS} days`}>
              <Count value={Math.round(pace * 10) / 10} />
            </Figure>
          </>
        }
      >
        {children}
      </RewardResult>
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card heading={`Latest ${noun.toLowerCase()}`}>
          <LatestClaims {...{ claims: latest, campaign, base, now, verb, noun }} />
        </Card>
        <Card heading={`${noun} per day`} aside="Days in UTC">
          <div className="p-4 sm:p-5">
            <DailyChart
              label={`${noun} per day`}
              unit={noun.toLowerCase()}
              heightPx={180}
              data={days.map(({ day, claims }) => ({ day, value: claims }))}
            />
          </div>
        </Card>
      </div>
    </>
  );
}

function LatestClaims({
  claims,
  campaign,
  base,
  now,
  verb,
  noun,
}: {
  claims: readonly Claim[];
  campaign: { chainId: number | null; tokenDecimals: number; tokenSymbol: string };
  base: string;
  now: number;
  verb: string;
  noun: string;
}) {
  const { chainId } = campaign;
  const explorerUrl =
    chainId !== null && isRewardChainId(chainId) ? REWARD_CHAINS[chainId].explorerUrl : null;
  return (
    <DataTable
      label={`Latest ${noun.toLowerCase()}`}
      rows={claims}
      getRowId={({ address }) => address}
      emptyState={
        <EmptyState heading={`Nothing is ${verb} yet`}>
          {noun} appear here with their {explorerUrl ? "transactions" : "references"}.
        </EmptyState>
      }
      columns={[
        {
          label: "Wallet",
          cell: ({ address }) => <Address address={address} to={`${base}/wallets/${address}`} />,
        },
        {
          label: "When",
          isFlexible: true,
          isSecondary: true,
          cell: ({ claimedAt, txHash, reference }) => (
            <>
              <Ago date={claimedAt} now={Math.max(now, claimedAt.getTime())} />
              {txHash && explorerUrl && (
                <>
                  {" · "}
                  <a
                    href={`${explorerUrl}/tx/${txHash}`}
                    target="_blank"
                    rel="noreferrer"
                    className="text-accent hover:underline"
                  >
                    Transaction
                    <span className="sr-only"> (in the explorer, a new tab)</span>
                  </a>
                </>
              )}
              {reference && <> · {reference}</>}
            </>
          ),
        },
        {
          label: "Amount",
          align: "end",
          cell: ({ amountWei }) => <TokenAmount amountWei={amountWei} token={campaign} />,
        },
      ]}
    />
  );
}
