import { useFetcher } from "@remix-run/react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { FormProblems } from "../../../form/problems";
import type { PendingTransaction } from "../../../wallet/pending-transaction";
import { useSend } from "../../../wallet/use-send";
import type { ChainPageData } from "./page";

/** The kind of a transaction that takes a stray airdrop back. */
export const STRAY = "stray";
/**
 * The wait before a report is repeated: the server's own node may be a moment behind the wallet's.
 */
const REPORT_AGAIN_MS = 3_000;
const REPORTS_MAX = 6;

/**
 * Sends a campaign's transactions. Each one that is in a block is reported to the server until the
 * server has found it. An approval is not reported, since it concerns only the token. That a stray is
 * taken back is reported once, since it is no transaction of the campaign.
 */
export function useCampaignSend({ campaign, chain, transactions }: ChainPageData) {
  const report = useFetcher<{ problems: FormProblems }>();
  const queries = useQueryClient();
  const reports = useRef(0);
  const { state, send, settle } = useSend({
    key: campaign.rewardId,
    chainId: chain.id,
    onMined: (sent) => {
      void queries.invalidateQueries();
      if (sent.kind === "approve" || sent.kind === "propose") settle();
      else {
        reports.current = 0;
        tell(sent);
      }
      if (sent.kind === STRAY) settle();
    },
  });
  const tell = ({ hash }: Pick<PendingTransaction, "hash">) => {
    reports.current += 1;
    report.submit({ intent: "report", txHash: hash }, { method: "post" });
  };

  const minedHash = state.step === "mined" ? state.hash : null;
  const isFound = minedHash !== null && transactions.some(({ txHash }) => txHash === minedHash);
  useEffect(() => {
    if (isFound) settle();
  }, [isFound, settle]);

  const problem = report.data?.problems?.form ?? report.data?.problems?.fields.txHash;
  const isWaiting = minedHash !== null && !isFound && problem !== undefined;
  const isTellingAgain = isWaiting && report.state === "idle" && reports.current < REPORTS_MAX;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer restarts the wait
  useEffect(() => {
    if (!isTellingAgain || minedHash === null) return;
    const timer = setTimeout(() => tell({ hash: minedHash }), REPORT_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isTellingAgain, minedHash, report.data]);

  const isRefused = isWaiting && !isTellingAgain && report.state === "idle";
  return {
    state,
    send,
    settle,
    isBusy: state.step !== "idle" && state.step !== "failed",
    minedText: isRefused ? "Mined." : "Mined. Waiting for this service to find it…",
    /** The server's reason for not accepting the transaction, after the last report. */
    problem: isRefused ? problem : undefined,
  };
}
