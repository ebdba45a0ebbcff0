import type { ReactNode } from "react";
import type { CampaignTerms } from "../../../domain/campaigns/campaign";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { Fact } from "../../ui/fact";
import { Ago, Count, Day, Share } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

interface WalletShare {
  points: number | null;
  amountWei: bigint;
  round: number;
  snapshotAt: Date | null;
  explanation: {
    points: number;
    weight: number;
    share: number;
    exactNumerator: bigint;
    totalWei: bigint;
    totalWeight: bigint;
    flooredWei: bigint;
    gotRemainderUnit: boolean;
  } | null;
  bucket: number | null;
  leafIndex: number | null;
  hasProof: boolean;
  distributedAt: Date;
  claimedAt: Date | null;
  claimTxHash: string | null;
  payoutReference: string | null;
}

/**
 * Shows every number between a wallet's points and its amount, in the order of the computation.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function ShareExplanation({
  share,
  campaign,
  now,
}: {
  share: WalletShare;
  campaign: Pick<CampaignTerms, "maxPoints" | "tokenDecimals" | "tokenSymbol">;
  now: number;
}) {
  const { explanation, amountWei, snapshotAt, round } = share;
  const amount = <TokenAmount amountWei={amountWei} token={campaign} isExact />;
  if (!explanation) {
    return (
      <div className="p-4 text-sm sm:p-5">
        <p className="text-lg font-semibold">{amount}</p>
        <p className="mt-1 text-ink-muted">This amount was imported, not computed from points.</p>
      </div>
    );
  }
  const { points, weight, totalWei, totalWeight, flooredWei, gotRemainderUnit } = explanation;
  return (
    <ol className="divide-y divide-line text-sm">
      <Line label="Points">
        <Count value={points} />
        <Note>
          {snapshotAt ? (
            <>
              At the snapshot <Ago date={snapshotAt} now={now} />
            </>
          ) : (
            "At the snapshot"
          )}
          {round > 0 && `, for added split ${round}`}
        </Note>
      </Line>
      <Line label="Weight">
        <Count value={weight} />
        <Note>
          {campaign.maxPoints === null ? (
            "All points count: there is no cap"
          ) : (
            <>
              Points count up to the cap of <Count value={campaign.maxPoints} />
            </>
          )}
        </Note>
      </Line>
      <Line label="Share">
        <Share value={explanation.share} />
        <Note>
          <Count value={weight} /> of the <Whole value={totalWeight} /> that is the weight of all
          wallets
        </Note>
      </Line>
      <Line label="Exact quotient">
        <span className="break-all">
          <Whole value={totalWei} /> × <Count value={weight} /> ÷ <Whole value={totalWeight} />
        </span>
        <Note>
          In the token’s smallest unit:{" "}
          <TokenAmount amountWei={totalWei} token={campaign} isExact /> is split in all
        </Note>
      </Line>
      <Line label="Rounded down">
        <span className="break-all">
          <Whole value={flooredWei} />
        </span>
        <Note>
          The remainder of the division is{" "}
          <Whole value={explanation.exactNumerator - flooredWei * totalWeight} />
        </Note>
      </Line>
      <Line label="Remainder unit">
        {gotRemainderUnit ? "+1" : "0"}
        <Note>
          {gotRemainderUnit
            ? "Left-over units go to the largest remainders. This is one of them"
            : "Left-over units go to the largest remainders. This is not one of them"}
        </Note>
      </Line>
      <Line label="Amount">
        <strong className="font-semibold">{amount}</strong>
        <Note>
          <span className="break-all">
            <Whole value={amountWei} /> in the smallest unit
          </span>
        </Note>
      </Line>
    </ol>
  );
}

/** Shows whether a share was paid by hand. */
export function SharePayout({ share }: { share: WalletShare }) {
  return (
    <dl className="grid gap-x-6 gap-y-4 p-4 text-sm sm:grid-cols-2 sm:p-5">
      <Fact label="Paid">{share.claimedAt ? <Day date={share.claimedAt} /> : "Not yet"}</Fact>
      {share.payoutReference && (
        <Fact label="Reference">
          <span className="break-all">{share.payoutReference}</span>
        </Fact>
      )}
    </dl>
  );
}

/** Shows the place of a wallet's share in the merkle trees, and whether it was claimed. */
export function ShareProof({ share, chainId }: { share: WalletShare; chainId: number | null }) {
  const { bucket, leafIndex, hasProof, claimedAt, claimTxHash, distributedAt } = share;
  const explorerUrl =
    chainId !== null && isRewardChainId(chainId) ? REWARD_CHAINS[chainId].explorerUrl : null;
  return (
    <dl className="grid gap-x-6 gap-y-4 p-4 text-sm sm:grid-cols-2 sm:p-5 lg:grid-cols-4">
      <Fact label="Tree">{bucket === null ? "–" : <Count value={bucket} />}</Fact>
      <Fact label="Leaf">{leafIndex === null ? "–" : <Count value={leafIndex} />}</Fact>
      <Fact label="Proof">{hasProof ? "Available" : "Not yet built"}</Fact>
      <Fact label="Given">
        <Day date={distributedAt} />
      </Fact>
      <Fact label="Claimed">{claimedAt ? <Day date={claimedAt} /> : "Not yet"}</Fact>
      {claimTxHash && (
        <Fact label="Transaction">
          <span className="break-all font-mono text-[0.8125rem]">
            {explorerUrl ? (
              <a
                href={`${explorerUrl}/tx/${claimTxHash}`}
                rel="noreferrer"
                className="text-accent underline"
              >
                {claimTxHash}
              </a>
            ) : (
              claimTxHash
            )}
          </span>
        </Fact>
      )}
    </dl>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <li className="grid gap-x-6 px-4 py-2.5 sm:grid-cols-[10rem_1fr] sm:px-5">
      <span className="text-ink-muted">{label}</span>
      <div className="min-w-0 tabular-nums">{children}</div>
    </li>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="text-xs text-ink-muted">{children}</p>;
}

/** Writes whole numbers of any size without grouping, so that they can be computed with. */
function Whole({ value }: { value: bigint }) {
  return <>{value.toString()}</>;
}
