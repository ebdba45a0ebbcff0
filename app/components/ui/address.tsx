import { Link } from "@remix-run/react";
import { shortenAddress } from "../../domain/address";
import { CopyButton } from "./copy-button";
import { ROW_LINK } from "./table";
import { WalletMark } from "./wallet-mark";

/**
 * Shows a wallet's address, shortened, whole on hover, with a button that copies it.
 * @param props.to the wallet's page
 * @param props.isRowLink whether its page is the one that the row of a table leads to
 */
export function Address({
  address,
  to,
  isRowLink = false,
}: {
  address: string;
  to?: string;
  isRowLink?: boolean;
}) {
  const short = shortenAddress(address);
  const text = (
    <>
      <WalletMark address={address} className="mr-1.5 hidden size-4 min-[480px]:block" />
      {/* Its baseline is that of the sentence around it, and not the mark's lower edge. */}
      <span className="self-baseline leading-6">{short}</span>
    </>
  );
  const look = "inline-flex min-h-6 items-center font-mono text-[0.8125rem]";
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {to === undefined ? (
        <span title={address} className={look}>
          {text}
        </span>
      ) : (
        <Link
          to={to}
          {...(isRowLink && ROW_LINK)}
          title={address}
          className={`${look} text-accent hover:underline`}
        >
          {text}
        </Link>
      )}
      <CopyButton text={address} label={`address ${short}`} />
    </span>
  );
}
