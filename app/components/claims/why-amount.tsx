import type { ClaimReason } from "../../domain/claims/overview";
import { Count, Decimal } from "../ui/local";
import { TokenAmount } from "../ui/token-amount";

/** Explains how an amount came about, so that a reader can compute it again. */
export function WhyAmount({
  reason,
  amountWei,
  token,
}: {
  reason: ClaimReason;
  amountWei: bigint;
  token: { tokenDecimals: number; tokenSymbol: string };
}) {
  const { points, maxPoints, weight, totalWeight, totalWei, share, gotRemainderUnit } = reason;
  return (
    <div className="space-y-2">
      <p>
        The wallet had <Count value={points} /> points when the split was made
        {maxPoints !== null && points > maxPoints ? (
          <>
            , of which <Count value={maxPoints} /> count, the maximum
          </>
        ) : null}
        . That is {formatShare(share)} of the <Decimal value={totalWeight} /> points that count in
        total.
      </p>
      <p className="break-words font-mono text-[0.8125rem]">
        <TokenAmount amountWei={BigInt(totalWei)} token={token} isExact /> ×{" "}
        <Count value={weight} /> ÷ <Decimal value={totalWeight} /> ={" "}
        <TokenAmount amountWei={amountWei} token={token} isExact />
      </p>
      {gotRemainderUnit && (
        <p className="text-ink-muted">
          It includes one of the smallest units that rounding down left over.
        </p>
      )}
    </div>
  );
}

function formatShare(share: number): string {
  return new Intl.NumberFormat("en", {
    style: "percent",
    maximumSignificantDigits: 3,
  }).format(share);
}
