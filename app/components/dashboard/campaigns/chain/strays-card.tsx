import { Address } from "../../../ui/address";
import { Card } from "../../../ui/card";
import { TokenAmount } from "../../../ui/token-amount";
import type { ChainPageData } from "./page";

/** Shows other airdrops on chain with this campaign's reference, and how to take them back. */
export function StraysCard({ page }: { page: ChainPageData }) {
  const { campaign, chain, strays } = page;
  return (
    <Card heading="Other airdrops with this campaign's reference">
      <div className="space-y-3 p-4 text-sm sm:p-5">
        <p>
          They are not part of this campaign, but still hold tokens. Their admin gets the tokens
          back by cancelling them.
        </p>
        <ul className="space-y-3">
          {strays.map(({ txHash, onchainId, contract, admin, heldWei }) => (
            <li key={txHash + onchainId} className="break-words">
              ID {onchainId} in <Address address={contract} />, with{" "}
              <TokenAmount amountWei={heldWei} token={campaign} isExact />, admin{" "}
              <Address address={admin} />
              {admin === campaign.adminAddress && " (this campaign's)"},{" "}
              <a
                href={`${chain.explorerUrl}/tx/${txHash}`}
                rel="noreferrer"
                className="font-mono text-[0.8125rem] text-accent underline"
              >
                {txHash.slice(0, 10)}…
              </a>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
