import { Form } from "../../../form/form";
import type { FormProblems } from "../../../form/problems";
import { Alert } from "../../../ui/alert";
import { Card } from "../../../ui/card";
import { Count, Share } from "../../../ui/local";
import { TokenAmount } from "../../../ui/token-amount";
import type { ChainPageData } from "./page";

interface ChainCheck {
  readonly isCancelled: boolean;
  readonly unclaimedWei: bigint;
  readonly fundedWei: bigint;
  readonly bucketsRead: number;
  readonly buckets: number;
}

/** Shows how much of a campaign was claimed, and the contract's own figures on request. */
export function ChainProgress({
  page,
  check,
  problems,
}: {
  page: ChainPageData;
  check: ChainCheck | undefined;
  problems: FormProblems | undefined;
}) {
  const { campaign, claims } = page;
  const { totalAmountWei, refundedWei } = campaign;
  const share = totalAmountWei === 0n ? 0 : Number((claims.claimedWei * 1_000n) / totalAmountWei);
  return (
    <Card heading="Claims">
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <div>
          <p>
            <Count value={claims.claimed} /> of <Count value={claims.wallets} /> wallets have
            claimed <TokenAmount amountWei={claims.claimedWei} token={campaign} isExact /> (
            <Share value={share / 1_000} />
            ).
          </p>
          <div
            role="progressbar"
            aria-label="Claimed"
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(share / 10)}
            className="mt-2 h-2 overflow-hidden rounded-full bg-sunken"
          >
            <div className="h-full bg-accent" style={{ width: `${share / 10}%` }} />
          </div>
        </div>
        {refundedWei !== null && refundedWei > 0n && (
          <p>
            <TokenAmount amountWei={refundedWei} token={campaign} isExact /> were taken back.
          </p>
        )}
        {check && <CheckAnswer check={check} page={page} />}
        <Form
          intent="check"
          problems={problems}
          submitLabel="Check with the chain"
          submitVariant="quiet"
        />
      </div>
    </Card>
  );
}

function CheckAnswer({ check, page }: { check: ChainCheck; page: ChainPageData }) {
  const { fundedWei, unclaimedWei, bucketsRead, buckets, isCancelled } = check;
  return (
    <div role="status" className="rounded-lg border border-line bg-sunken px-4 py-3">
      <p>
        The contract holds <TokenAmount amountWei={unclaimedWei} token={page.campaign} isExact /> of{" "}
        <TokenAmount amountWei={fundedWei} token={page.campaign} isExact />
        {bucketsRead < buckets && (
          <>
            {" "}
            in the first <Count value={bucketsRead} /> of <Count value={buckets} /> buckets
          </>
        )}
        .
      </p>
      {isCancelled && page.campaign.cancelledOnchainAt === null && (
        <Alert>It was cancelled on chain. This service has not found the transaction yet.</Alert>
      )}
    </div>
  );
}
