import { formatTokenAmount } from "../../domain/rewards/token-amount";
import { Decimal } from "../ui/local";

/** The number of decimals that are shown. More are cut off, but never all that are not zero. */
const DECIMALS_SHOWN = 4;
/** The most decimals that `Decimal` accepts. */
const DECIMALS_MAX = 20;

/**
 * Shows an amount of a token, cut off after a few decimals; the exact amount on hover.
 * @param props.isExact whether nothing is cut off
 */
export function TokenAmount({
  amountWei,
  token: { tokenDecimals, tokenSymbol },
  isExact = false,
}: {
  amountWei: bigint;
  token: { tokenDecimals: number; tokenSymbol: string };
  isExact?: boolean;
}) {
  const exact = formatTokenAmount(amountWei, tokenDecimals);
  const shown = isExact ? exact : cutOff(exact);
  const [, decimals = ""] = shown.split(".");
  return (
    <span title={`${exact} ${tokenSymbol}`} className="break-words tabular-nums">
      {decimals.length > DECIMALS_MAX ? shown : <Decimal value={shown} />} {tokenSymbol}
    </span>
  );
}

function cutOff(exact: string): string {
  const [whole = "", decimals = ""] = exact.split(".");
  const zeros = decimals.length - decimals.replace(/^0+/, "").length;
  const kept = whole === "0" ? Math.max(DECIMALS_SHOWN, zeros + 3) : DECIMALS_SHOWN;
  const shown = decimals.slice(0, kept).replace(/0+$/, "");
  return shown === "" ? whole : `${whole}.${shown}`;
}
