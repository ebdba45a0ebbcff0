import { useCallback, useEffect, useRef, useState } from "react";
import type { Abi, Hex } from "viem";
import { useConfig, useConnection } from "wagmi";
import { simulateContract, writeContract } from "wagmi/actions";
import type { Address } from "../../domain/address";
import { describeChainError } from "../../domain/campaigns/errors";
import { isContractWallet } from "./contract-wallet";
import { findPending, keepPending, type PendingTransaction } from "./pending-transaction";
import { type Signatures, useSafeApp } from "./safe-app";
import { followSponsored, hasSponsor, sendSponsored } from "./sponsor";
import { waitUntilMined } from "./wait-until-mined";

/** A call of a contract, in the form that `app/domain/campaigns/calls.ts` makes. */
export interface ContractCall {
  readonly address: Address;
  readonly abi: Abi | readonly unknown[];
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly value: bigint;
}

/** The state of a transaction. */
export type SendState =
  | { readonly step: "idle" }
  | { readonly step: "checking" | "signing"; readonly kind: string }
  /** The transaction was handed to a contract wallet, whose other owners may have to sign. */
  | { readonly step: "owners"; readonly kind: string; readonly signatures: Signatures | null }
  /** The wallet has a paymaster pay for the transaction, and does not tell its hash yet. */
  | { readonly step: "sponsored"; readonly kind: string }
  | { readonly step: "mining" | "mined"; readonly kind: string; readonly hash: Hex }
  | { readonly step: "failed"; readonly kind: string; readonly text: string };

const ENDINGS = {
  reverted: "The transaction failed on chain and changed nothing.",
  cancelled: "It was cancelled in the wallet. Nothing changed.",
  replaced: "The wallet sent another transaction in its place.",
  rejected: "The Safe's owners rejected it. Nothing changed.",
} as const;

/**
 * Sends one call after the other: simulates it, asks the wallet, and waits until it is in a block,
 * also after a reload. The wallet computes gas and fees.
 * @param options.key the key under which a reload finds the pending transaction
 * @param options.paymasterUrl the paymaster that pays the gas, where the wallet can have one pay
 * @param options.onMined is called once a transaction is in a block; the transaction stays kept
 *   until `settle`
 */
export function useSend({
  key,
  chainId,
  paymasterUrl = null,
  onMined,
}: {
  key: string;
  chainId: number;
  paymasterUrl?: string | null;
  onMined: (sent: PendingTransaction) => void;
}) {
  const config = useConfig();
  const { address: account } = useConnection();
  const safeApp = useSafeApp();
  const [state, setState] = useState<SendState>({ step: "idle" });
  const waiting = useRef<AbortController | null>(null);
  const tell = useRef(onMined);
  tell.current = onMined;

  const wait = useCallback(
    async (pending: PendingTransaction) => {
      waiting.current?.abort();
      const controller = new AbortController();
      waiting.current = controller;
      const { kind, via } = pending;
      const { signal } = controller;
      const showOwners = (signatures: Signatures | null) =>
        setState({ step: "owners", kind, signatures });
      if (via === "calls") setState({ step: "sponsored", kind });
      else if (via) showOwners(null);
      else setState({ step: "mining", kind, hash: pending.hash });
      const find = async () => {
        if (via === "calls") return followSponsored(config, pending.hash, signal);
        // Outside the Safe's frame only the chain can show the result.
        if (via !== "safe" || !safeApp) return waitUntilMined(config, { ...pending, signal });
        const executed = await safeApp.follow(pending.hash, { signal, tell: showOwners });
        if (executed.end !== "executed") return executed;
        keepPending(key, { hash: executed.hash, chainId, kind });
        setState({ step: "mining", kind, hash: executed.hash });
        return waitUntilMined(config, { hash: executed.hash, chainId, signal });
      };
      const outcome = await find().catch(() => null);
      if (!outcome || signal.aborted) return;
      if (outcome.end === "mined") {
        const { hash } = outcome;
        const mined = { hash, chainId, kind };
        keepPending(key, mined);
        setState({ step: "mined", kind, hash });
        tell.current(mined);
      } else {
        keepPending(key, null);
        setState({ step: "failed", kind, text: ENDINGS[outcome.end] });
      }
    },
    [config, key, chainId, safeApp],
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
        const [isContract, isSponsored] = await Promise.all([
          isContractWallet(config, account, chainId).catch(() => false),
          hasSponsor(config, account, chainId, safeApp ? null : paymasterUrl),
          simulateContract(config, request),
        ]);
        setState({ step: "signing", kind });
        if (isSponsored && account && paymasterUrl !== null) {
          const id = await sendSponsored(config, call as never, { account, chainId, paymasterUrl });
          const sponsored = { hash: id as Hex, chainId, kind, via: "calls" } as const;
          keepPending(key, sponsored);
          await wait(sponsored);
          return;
        }
        const via = safeApp ? "safe" : isContract ? "contract" : undefined;
        const pending = { hash: await writeContract(config, request), chainId, kind, via } as const;
        keepPending(key, pending);
        await wait(pending);
      } catch (error) {
        setState({ step: "failed", kind, text: describeChainError(error) });
      }
    },
    [config, account, chainId, key, wait, safeApp, paymasterUrl],
  );

  /**
   * Forgets the transaction: the server or the chain has it, or the reader no longer waits for it.
   */
  const settle = useCallback(() => {
    waiting.current?.abort();
    keepPending(key, null);
    setState({ step: "idle" });
  }, [key]);

  return { state, send, settle };
}
