import { useCallback, useEffect, useRef, useState } from "react";
import { useConfig, useConnection } from "wagmi";
import { getTransactionReceipt } from "wagmi/actions";
import type { Address } from "../../../../domain/address";
import { describeChainError } from "../../../../domain/campaigns/errors";
import { distributeCall, readPayOut, type Skip } from "../../../../domain/campaigns/pay-out";
import { useSend } from "../../../wallet/use-send";
import {
  findNextBatch,
  keepSkips,
  type PaidAirdrop,
  type PayOutBatch,
  readSkips,
} from "./pay-out-batch";

/** The results of this visit. */
interface Tally {
  readonly paid: number;
  readonly overtaken: number;
}

/**
 * Pays a campaign out in one transaction after the other. The contract pays no share twice, so the
 * work can be ended and taken up anywhere: a pass goes once through all shares that are not paid.
 */
export function usePayOut(rewardId: string, airdrop: PaidAirdrop) {
  const config = useConfig();
  const { address: account, chainId } = useConnection();
  const isHere = account !== undefined && chainId === airdrop.chainId;
  const { state, send, settle } = useSend({
    key: `pay-out:${rewardId}`,
    chainId: airdrop.chainId,
    onMined: () => {},
  });
  const [cursor, setCursor] = useState<string | null>(null);
  const [batch, setBatch] = useState<PayOutBatch | null>(null);
  const [isDone, setIsDone] = useState(false);
  const [isRunning, setIsRunning] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [tally, setTally] = useState<Tally>({ paid: 0, overtaken: 0 });
  const [skips, setSkips] = useState(() => readSkips(rewardId));
  const leftOut = useRef(new Set<Address>());
  leftOut.current = new Set(skips.map((skip) => skip.account));
  const fail = useCallback((error: unknown) => {
    setProblem(describeChainError(error));
    setIsRunning(false);
  }, []);

  // A transaction is in a block: its logs say who was paid.
  const minedHash = state.step === "mined" ? state.hash : null;
  const end = state.step === "mined" ? state.kind : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each transaction
  useEffect(() => {
    if (minedHash === null) return;
    let isCurrent = true;
    const read = async () => {
      const receipt = await getTransactionReceipt(config, {
        hash: minedHash,
        chainId: airdrop.chainId,
      });
      if (!isCurrent) return;
      const result = readPayOut(receipt.logs, airdrop);
      setTally(({ paid, overtaken }) => ({
        paid: paid + result.paid,
        overtaken: overtaken + result.overtaken,
      }));
      const all = mergeSkips(readSkips(rewardId), result.skipped);
      keepSkips(rewardId, all);
      setSkips(all);
      setCursor(end);
      setBatch(null);
      settle();
    };
    read().catch((error) => {
      if (!isCurrent) return;
      fail(error);
      settle();
    });
    return () => {
      isCurrent = false;
    };
  }, [minedHash]);

  // The next payments are looked up while nothing else is under way.
  const isLooking = isHere && state.step === "idle" && batch === null && !isDone && !problem;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each place
  useEffect(() => {
    if (!isLooking || !account) return;
    let isCurrent = true;
    const isLeftOut = (wallet: Address) => leftOut.current.has(wallet);
    findNextBatch(config, airdrop, account, cursor, isLeftOut).then(
      (found) => {
        if (!isCurrent) return;
        setBatch(found);
        setIsDone(found === null);
        if (found === null) setIsRunning(false);
      },
      (error) => isCurrent && fail(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [isLooking, cursor, account]);

  const isReady = isRunning && isHere && batch !== null && state.step === "idle";
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each batch
  useEffect(() => {
    if (isReady && batch) void send(batch.end, distributeCall(airdrop, batch.payments));
  }, [isReady, batch]);

  const hasFailed = state.step === "failed";
  useEffect(() => {
    if (hasFailed) setIsRunning(false);
  }, [hasFailed]);

  /** Begins, or goes on after a pause or a failure. What was prepared is looked up again. */
  const start = () => {
    if (hasFailed) settle();
    setBatch(null);
    setProblem(null);
    setIsRunning(true);
  };
  /** Ends the run, and forgets the transaction. The next payments are looked up, and wait for `start`. */
  const stop = () => {
    setIsRunning(false);
    setBatch(null);
    settle();
  };
  const retrySkipped = () => {
    keepSkips(rewardId, []);
    setSkips([]);
    setCursor(null);
    setBatch(null);
    setIsDone(false);
  };
  return {
    isHere,
    state,
    batch,
    isDone,
    isRunning,
    problem,
    tally,
    skips,
    start,
    pause: () => setIsRunning(false),
    stop,
    retrySkipped,
  };
}

function mergeSkips(before: readonly Skip[], added: readonly Skip[]): Skip[] {
  const accounts = new Set(added.map(({ account }) => account));
  return [...before.filter(({ account }) => !accounts.has(account)), ...added];
}
