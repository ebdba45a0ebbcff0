import { formatTokenAmount } from "../../domain/token-amount";

/** An amount of a campaign's token, exactly, with its symbol. */
export function TokenAmount({
  wei,
  token,
}: {
  wei: bigint;
  token: { tokenDecimals: number; tokenSymbol: string };
}) {
  const [whole = "", fraction] = formatTokenAmount(wei, token.tokenDecimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return (
    <span className="break-words">
      {fraction ? `${grouped}.${fraction}` : grouped} {token.tokenSymbol}
    </span>
  );
}
