import { useSwitchChain } from "wagmi";
import { describeChainError } from "../../domain/campaigns/errors";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { useSafeApp } from "./safe-app";

/** Asks the wallet to switch to a chain, and to add the chain if it does not know it. */
export function SwitchNetwork({ chain }: { chain: { id: number; name: string } }) {
  const change = useSwitchChain();
  const safeApp = useSafeApp();
  if (safeApp) {
    return <p>This Safe is on another network. Open this page from your Safe on {chain.name}.</p>;
  }
  return (
    <div className="space-y-3">
      <p>The wallet is on another network.</p>
      <Button
        size="small"
        isBusy={change.isPending}
        onClick={() => change.mutate({ chainId: chain.id as never })}
      >
        Switch to {chain.name}
      </Button>
      {change.error && <Alert>{describeChainError(change.error)}</Alert>}
    </div>
  );
}
