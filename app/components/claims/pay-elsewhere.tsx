import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useConfig } from "wagmi";
import type { Address } from "../../domain/address";
import { checkReceiver, type Receiver } from "../../domain/claims/receiver";
import { Field } from "../form/field";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { isContractWallet } from "../wallet/contract-wallet";
import type { ClaimChain } from "./claim-page";
import type { PageClaim } from "./use-token-claims";

type Checked = Extract<Receiver, { address: Address }>;

/** Offers to have a claim paid to another address than the wallet's own. */
export function PayElsewhere({
  claim: { entry },
  chain,
  address,
  isBusy,
  onClaim,
}: {
  claim: PageClaim;
  chain: ClaimChain;
  address: Address;
  isBusy: boolean;
  onClaim: (to: Address) => void;
}) {
  const [receiver, setReceiver] = useState<Receiver | null>(null);
  if (receiver && !("problem" in receiver)) {
    return (
      <Confirm
        receiver={receiver}
        chain={chain}
        isBusy={isBusy}
        onClaim={() => onClaim(receiver.address)}
        onBack={() => setReceiver(null)}
      />
    );
  }
  return (
    <form
      noValidate
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = String(new FormData(event.currentTarget).get("to"));
        const { tokenAddress, contractAddress } = entry;
        const own = { wallet: address, token: tokenAddress, contract: contractAddress };
        setReceiver(checkReceiver(typed, own));
      }}
    >
      <p>
        For a wallet that cannot receive the tokens, or to keep them elsewhere. This wallet still
        signs and pays the gas.
      </p>
      <Field
        label="Pay to"
        name="to"
        placeholder="0x…"
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        problem={receiver?.problem}
      />
      <Button type="submit" size="small" variant="quiet" isBusy={isBusy}>
        Check the address
      </Button>
    </form>
  );
}

function Confirm({
  receiver: { address, checksummed, hasChecksum },
  chain,
  isBusy,
  onClaim,
  onBack,
}: {
  receiver: Checked;
  chain: ClaimChain;
  isBusy: boolean;
  onClaim: () => void;
  onBack: () => void;
}) {
  const config = useConfig();
  const code = useQuery({
    queryKey: ["receiver-code", chain.id, address],
    queryFn: () => isContractWallet(config, address, chain.id),
    retry: 1,
    networkMode: "always",
  });
  return (
    <div className="space-y-3">
      <p>
        Everything of this claim goes to{" "}
        <code className="break-all font-mono text-xs">{checksummed}</code> on {chain.name}. It
        cannot be taken back.
      </p>
      {!hasChecksum && (
        <Alert>
          The address has no checksum, so a mistyped letter is not noticed. Compare it again.
        </Alert>
      )}
      {code.data === true && (
        <Alert>
          A contract is at this address. Some contracts cannot send on what they receive. Continue
          only if you know that this one can.
        </Alert>
      )}
      {code.isError && (
        <Alert>{chain.name} does not tell whether a contract is at this address.</Alert>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="small" isBusy={isBusy || code.isPending} onClick={onClaim}>
          Claim to this address
        </Button>
        <Button size="small" variant="quiet" onClick={onBack}>
          Another address
        </Button>
      </div>
    </div>
  );
}
