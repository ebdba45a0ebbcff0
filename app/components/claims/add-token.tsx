import { useWatchAsset } from "wagmi";
import type { Address } from "../../domain/address";
import { isRejection } from "../../domain/campaigns/errors";
import { Button } from "../ui/button";
import { useSafeApp } from "../wallet/safe-app";

/** Asks the wallet to list a token. A Safe lists the tokens that it holds by itself. */
export function AddToken(options: { address: Address; symbol: string; decimals: number }) {
  const watch = useWatchAsset();
  if (useSafeApp()) return null;
  return (
    <>
      <Button
        variant="quiet"
        size="small"
        isBusy={watch.isPending}
        onClick={() => watch.mutate({ type: "ERC20", options })}
      >
        Add {options.symbol} to the wallet
      </Button>
      <span role="status" className="ml-3 text-ink-muted">
        {watch.isSuccess &&
          (watch.data ? "The wallet now lists the token." : "The wallet did not add the token.")}
        {watch.isError && describeFailure(watch.error)}
      </span>
    </>
  );
}

function describeFailure(error: Error): string {
  if (isRejection(error)) {
    return "You rejected the request. The tokens are in the wallet anyway.";
  }
  return error.name === "ConnectorNotConnectedError"
    ? "Connect a wallet first."
    : "This wallet does not support this. Add the token there by its address.";
}
