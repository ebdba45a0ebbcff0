import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { estimateContractGas } from "viem/actions";
import { useConfig } from "wagmi";
import { estimateFeesPerGas, getBalance } from "wagmi/actions";
import type { Address } from "../../domain/address";
import { formatCoin } from "../../domain/campaigns/native-coin";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { isContractWallet } from "../wallet/contract-wallet";
import { hasSponsor } from "../wallet/sponsor";
import { toClaimCall } from "./claim-call";
import type { ClaimChain } from "./claim-page";
import type { PageClaim } from "./use-token-claims";

type Shortage = Readonly<{ heldWei: bigint; neededWei: bigint }>;

/** Says that a wallet cannot pay for the gas of a claim, and offers to check again. */
export function GasShortage({
  chain,
  shortage: { data, isFetching, refetch },
}: {
  chain: ClaimChain;
  shortage: UseQueryResult<Shortage | null>;
}) {
  return (
    data && (
      <div className="space-y-3">
        <Alert>
          The wallet does not hold enough {chain.nativeSymbol} for gas on {chain.name}: it takes
          about {formatCoin(data.neededWei)} {chain.nativeSymbol}, and holds{" "}
          {formatCoin(data.heldWei)}. Send it some, then check again. If somebody else pays your
          wallet's gas, claim as it is.
        </Alert>
        <Button variant="quiet" isBusy={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      </div>
    )
  );
}

/**
 * Finds out whether a wallet can pay for the gas of one transaction with claims of one contract.
 * @param claims the claims to send together; with none, nothing is asked
 * @returns the balance and the cost when the wallet cannot pay; null when it can, or when it is not known
 */
export function useGasShortage(
  claims: readonly PageClaim[],
  { id: chainId, paymasterUrl }: ClaimChain,
  account: Address,
): UseQueryResult<Shortage | null> {
  const config = useConfig();
  return useQuery({
    queryKey: ["gas", chainId, account, ...claims.map(({ entry }) => entry.distributionId)],
    enabled: claims.length > 0,
    retry: false,
    networkMode: "always",
    queryFn: async () => {
      // The account that executes a contract wallet's transaction pays its gas.
      if (await isContractWallet(config, account, chainId)) return null;
      if (await hasSponsor(config, account, chainId, paymasterUrl)) return null;
      const heldWei = (await getBalance(config, { address: account, chainId: chainId as never }))
        .value;
      const client = config.getClient({ chainId: chainId as never });
      const contract = claims[0]?.entry.contractAddress ?? "0x";
      const [gas, { maxFeePerGas }] = await Promise.all([
        estimateContractGas(client, { ...toClaimCall(contract, claims), account } as never),
        estimateFeesPerGas(config, { chainId: chainId as never }),
      ]);
      const neededWei = gas * (maxFeePerGas ?? 0n);
      return heldWei < neededWei ? { heldWei, neededWei } : null;
    },
  });
}
