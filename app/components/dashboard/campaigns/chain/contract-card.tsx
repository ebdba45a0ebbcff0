import { Address } from "../../../ui/address";
import { Card } from "../../../ui/card";
import type { ChainPageData } from "./page";

/** Explains why nothing is offered to sign: the campaign contract is not known to be there. */
export function ContractCard({ page }: { page: ChainPageData }) {
  const { campaign, chain, deployment } = page;
  return (
    <Card heading={HEADINGS[deployment ?? "unknown"]}>
      <div className="space-y-3 p-4 text-sm sm:p-5">
        {deployment === "absent" && (
          <>
            <p>
              There is no code at this address of {chain.name}. Coins that are sent there are lost.
              Anyone can deploy the contract; it gives its deployer no rights.
            </p>
            <p>
              <code className="break-all">npm run contracts:deploy -- {chain.id}</code>
            </p>
            <p className="text-ink-muted">docs/contract.md explains the command and its check.</p>
          </>
        )}
        {deployment === "different" && (
          <p>
            The code at <Address address={campaign.contractAddress} /> is not the one that this
            version of the service was tested with. Send nothing there. Check{" "}
            <code className="break-all">CAMPAIGN_CONTRACT_{chain.id}</code>.
          </p>
        )}
        {deployment === null && (
          <p>
            The endpoint of {chain.name} does not answer, so the contract cannot be checked. Reload
            the page in a moment.
          </p>
        )}
      </div>
    </Card>
  );
}

const HEADINGS = {
  deployed: "The contract is deployed",
  absent: "The contract is not deployed on this chain",
  different: "Another contract is at the address",
  unknown: "The contract could not be checked",
} as const;
