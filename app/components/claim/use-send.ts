import { useCallback, useEffect, useRef, useState } from "react";
import type { Abi, Hex } from "viem";
import { useConfig, useConnection } from "wagmi";
import { simulateContract, writeContract } from "wagmi/actions";
import type { Address } from "../../domain/address";
import { describeChainError } from "../../domain/campaign-errors";
import { findPending, keepPending, type PendingTransaction } from "./pending-transaction";
import { waitUntilMined } from "./wait-until-mined";

/** A call of a contract, as `app/domain/campaign-calls.ts` makes them. */
export interface ContractCall {
  readonly address: Address;
  readonly abi: Abi | readonly unknown[];
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly value: bigint;
}

/** Where what was sent stands. */
export type SendState =
  | { readonly step: "idle" }
  | { readonly step: "checking" | "signing"; readonly kind: string }
  | { readonly step: "mining" | "mined"; readonly kind: string; readonly hash: Hex }
  | { readonly step: "failed"; readonly kind: string; readonly text: string };

const ENDINGS = {
  reverted: "The transaction failed on chain and changed nothing.",
  cancelled: "It was cancelled in the wallet. Nothing changed.",
  replaced: "The wallet sent another transaction in its place.",
} as const;

/**
 * Sends one call after the other: simulates it, asks the wallet, and waits until it is in a block,
 * also after a reload. The wallet reckons gas and fees.
 * @param options.key what a reload finds the waiting by
 * @param options.onMined is told once a transaction is in a block; it stays kept until `settle`
 */
export function useSend({
  key,
  chainId,
  onMined,
}: {
  key: string;
  chainId: number;
  onMined: (sent: PendingTransaction) => void;
}) {
  const config = useConfig();
  const { address: account } = useConnection();
  const [state, setState] = useState<SendState>({ step: "idle" });
  const waiting = useRef<AbortController | null>(null);
  const tell = useRef(onMined);
  tell.current = onMined;

  const wait = useCallback(
    async (pending: PendingTransaction) => {
      waiting.current?.abort();
      const controller = new AbortController();
      waiting.current = controller;
      const { kind } = pending;
      setState({ step: "mining", kind, hash: pending.hash });
      const { signal } = controller;
      const outcome = await waitUntilMined(config, { ...pending, signal }).catch(() => null);
      if (!outcome || signal.aborted) return;
      const { end, hash } = outcome;
      if (end === "mined") {
        const mined = { ...pending, hash };
        keepPending(key, mined);
        setState({ step: "mined", kind, hash });
        tell.current(mined);
      } else {
        keepPending(key, null);
        setState({ step: "failed", kind, text: ENDINGS[end] });
      }
    },
    [config, key],
  );

  useEffect(() => {
    const pending = findPending(key);
    if (pending?.chainId === chainId) void wait(pending);
    return () => waiting.current?.abort();
  }, [key, chainId, wait]);

  const send = useCallback(
    async (kind: string, call: ContractCall) => {
      try {
        setState({ step: "checking", kind });
        const request = { ...call, account, chainId } as never;
        await simulateContract(config, request);
        setState({ step: "signing", kind });
        const pending = { hash: await writeContract(config, request), chainId, kind };
        keepPending(key, pending);
        await wait(pending);
      } catch (error) {
        setState({ step: "failed", kind, text: describeChainError(error) });
      }
    },
    [config, account, chainId, key, wait],
  );

  /** Forgets what was sent: it was found where it belongs, or is no longer waited for. */
  const settle = useCallback(() => {
    waiting.current?.abort();
    keepPending(key, null);
    setState({ step: "idle" });
  }, [key]);

  return { state, send, settle };
}
