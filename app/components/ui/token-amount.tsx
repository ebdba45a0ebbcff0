import { formatTokenAmount, trimZeros } from "../../domain/rewards/token-amount";
import { Decimal } from "../ui/local";

/** The number of decimals that are shown. More are cut off, but never all that are not zero. */
const DECIMALS_SHOWN = 4;
/** The longest symbol that is never broken. */
const SYMBOL_WHOLE_MAX = 12;
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
    <span title={`${exact} ${tokenSymbol}`} className="tabular-nums">
      <span className={isExact ? "break-words" : "whitespace-nowrap"}>
        {decimals.length > DECIMALS_MAX ? shown : <Decimal value={shown} />}
      </span>{" "}
      <span className={tokenSymbol.length > SYMBOL_WHOLE_MAX ? "break-words" : "whitespace-nowrap"}>
        {tokenSymbol}
      </span>
    </span>
  );
}

function cutOff(exact: string): string {
  const [whole = "", decimals = ""] = exact.split(".");
  const zeros = decimals.length - decimals.replace(/^0+/, "").length;
  const kept = whole === "0" ? Math.max(DECIMALS_SHOWN, zeros + 3) : DECIMALS_SHOWN;
  const shown = trimZeros(decimals.slice(0, kept));
  return shown === "" ? whole : `${whole}.${shown}`;
}
