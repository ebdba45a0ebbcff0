import { useState } from "react";
import { useConnection } from "wagmi";
import { formatCoin } from "../../../../domain/campaigns/native-coin";
import { describeSkip, type Skip } from "../../../../domain/campaigns/pay-out";
import { Address } from "../../../ui/address";
import { Alert } from "../../../ui/alert";
import { Button } from "../../../ui/button";
import { Card } from "../../../ui/card";
import { Count } from "../../../ui/local";
import { ProgressBar } from "../../../ui/progress";
import { Table } from "../../../ui/table";
import { TokenAmount } from "../../../ui/token-amount";
import { ConnectWallet } from "../../../wallet/connect-wallet";
import { WalletProvider } from "../../../wallet/provider";
import { SendStatus } from "../../../wallet/send-status";
import { SwitchNetwork } from "../../../wallet/switch-network";
import { useDemoWallet } from "../../../wallet/use-demo-wallet";
import type { ChainPageData } from "./page";
import { usePayOut } from "./use-pay-out";

interface PayOutProps {
  page: Pick<ChainPageData, "campaign" | "chain">;
  /** The wallets that were not paid when the page was loaded. */
  wallets: number;
  paymentsPath: string;
  walletConnectProjectId: string | null;
  origin: string;
}

/**
 * Pays a campaign out with the operator's own wallet. It includes wagmi, and is loaded separately.
 */
export default function PayOutWallet(props: PayOutProps) {
  const { page, walletConnectProjectId, origin } = props;
  const [chains] = useState(() => [page.chain]);
  if (!useDemoWallet(chains)) return null;
  return (
    <WalletProvider options={{ chains, walletConnectProjectId, origin }}>
      <PayOut {...props} />
    </WalletProvider>
  );
}

function PayOut({ page: { campaign, chain }, wallets, paymentsPath }: PayOutProps) {
  const { isConnected } = useConnection();
  const run = usePayOut(campaign.rewardId, {
    chainId: chain.id,
    contract: campaign.contractAddress,
    onchainId: campaign.onchainId ?? 0n,
    paymentsPath,
  });
  const { state, batch, tally } = run;
  const done = tally.paid + tally.overtaken;
  const left = Math.max(0, wallets - done - run.skips.length);
  const isSending = state.step !== "idle" && state.step !== "failed";
  return (
    <>
      <Card heading="Pay out with a wallet">
        <div className="space-y-4 p-4 text-sm sm:p-5">
          <p className="text-ink-muted">
            Any wallet can do this: it pays the gas, and the contract pays each share to the wallet
            that it belongs to. A share is never paid twice. Close this page whenever you like and
            go on later.
          </p>
          <ConnectWallet />
          {isConnected && !run.isHere && <SwitchNetwork chain={chain} />}
          <div>
            <ProgressBar label="Wallets paid" value={Math.min(done, wallets)} max={wallets} />
            <p role="status" className="mt-2">
              <Count value={tally.paid} /> of <Count value={wallets} /> wallets paid here
              {tally.overtaken > 0 && (
                <>
                  , <Count value={tally.overtaken} /> claimed meanwhile
                </>
              )}
              {run.skips.length > 0 && (
                <>
                  , <Count value={run.skips.length} /> skipped
                </>
              )}
              .
            </p>
          </div>
          {batch && !run.isDone && (
            <p>
              Next transaction: <Count value={batch.payments.length} />{" "}
              {batch.payments.length === 1 ? "wallet" : "wallets"}, at most about{" "}
              {formatCoin(batch.costWei)} {chain.nativeSymbol} of gas.
              {left > batch.payments.length && (
                <>
                  {" "}
                  All {Math.ceil(left / batch.payments.length)} transactions: about{" "}
                  {formatCoin((batch.costWei * BigInt(left)) / BigInt(batch.payments.length))}{" "}
                  {chain.nativeSymbol}.
                </>
              )}
            </p>
          )}
          {run.isDone && (
            <p>
              {run.skips.length === 0
                ? "Every wallet is paid."
                : "Every wallet is paid, except those that were skipped."}
            </p>
          )}
          {run.isHere && !run.isDone && (
            <div className="flex flex-wrap gap-2">
              {run.isRunning ? (
                <Button variant="quiet" onClick={run.pause}>
                  Pause after this one
                </Button>
              ) : (
                <Button isBusy={isSending || (!batch && !run.problem)} onClick={run.start}>
                  {done > 0 || run.problem || state.step === "failed" ? "Go on" : "Pay out"}
                </Button>
              )}
            </div>
          )}
          {run.problem && <Alert>{run.problem}</Alert>}
          {state.step !== "idle" && (
            <SendStatus
              state={state}
              explorerUrl={chain.explorerUrl}
              minedText="In a block."
              onStop={run.stop}
            />
          )}
        </div>
      </Card>
      {run.skips.length > 0 && (
        <Skipped
          skips={run.skips}
          token={campaign}
          isBusy={isSending || run.isRunning}
          onRetry={run.retrySkipped}
        />
      )}
    </>
  );
}

/** Lists the payments that the contract skipped. */
function Skipped({
  skips,
  token,
  isBusy,
  onRetry,
}: {
  skips: readonly Skip[];
  token: ChainPageData["campaign"];
  isBusy: boolean;
  onRetry: () => void;
}) {
  return (
    <Card heading="Skipped wallets">
      <p className="p-4 text-sm text-ink-muted sm:px-5">
        Their shares stay in the contract. Each can claim by itself, also to another address.
      </p>
      <Table
        label="Skipped wallets"
        columns={[{ label: "Wallet" }, { label: "Share", align: "end" }, { label: "Reason" }]}
      >
        {skips.map(({ account, amountWei, reason }) => (
          <tr key={account} className="border-t border-line">
            <td className="px-4 py-2">
              <Address address={account} />
            </td>
            <td className="px-3 py-2 text-right">
              <TokenAmount amountWei={BigInt(amountWei)} token={token} />
            </td>
            <td className="px-3 py-2">{describeSkip(reason)}</td>
          </tr>
        ))}
      </Table>
      <div className="p-4 sm:px-5">
        <Button size="small" variant="quiet" isBusy={isBusy} onClick={onRetry}>
          Try them again
        </Button>
      </div>
    </Card>
  );
}
