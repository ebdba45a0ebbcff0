import type { Address } from "../../domain/address";
import type { ClaimReward } from "../../domain/claims/overview";
import { Button } from "../ui/button";
import type { PageClaim } from "./use-token-claims";

const LINK = "inline-flex min-h-6 items-center text-accent underline";

/**
 * Offers what a holder needs to claim without this service: the own proof, and the file with
 * everybody's.
 */
export function OwnProof({
  claim,
  address,
  file,
}: {
  claim: PageClaim;
  address: Address;
  file: ClaimReward["treeFile"];
}) {
  return (
    <div className="space-y-2">
      <p>
        With this proof the contract pays you, even if this page no longer exists: any wallet or
        block explorer can call <code className="font-mono text-xs">claim</code> with it.
      </p>
      <Button
        size="small"
        variant="quiet"
        aria-label={`Save my proof of ${claim.entry.campaignName}`}
        onClick={() => saveProof(claim, address)}
      >
        Save my proof
      </Button>
      {file && (
        <p>
          <a href={file.path} download className={LINK}>
            The proofs of all wallets (JSON)
          </a>
          <span className="block text-ink-muted">
            SHA-256 <code className="break-all font-mono text-xs">{file.sha256}</code>
          </span>
        </p>
      )}
    </div>
  );
}

/** Saves a claim's proof as a file, from the data that the page has. */
function saveProof({ entry, proof, tree }: PageClaim, address: Address): void {
  if (!proof || !tree) return;
  const file = {
    format: "points-and-rewards claim proof",
    version: 1,
    campaignName: entry.campaignName,
    chainId: entry.chainId,
    contractAddress: entry.contractAddress,
    onchainId: entry.onchainId,
    address,
    tokenAddress: entry.tokenAddress,
    amountWei: proof.amount,
    merkleProof: proof.merkleProof,
    root: tree.root,
    howToClaim:
      "Send claim(onchainId, amountWei, merkleProof) from the address to the contract, or claimTo with another receiver before the proof.",
  };
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: "application/json" }),
  );
  const link = document.createElement("a");
  link.href = url;
  link.download = `proof-${entry.chainId}-${entry.onchainId}-${address.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
