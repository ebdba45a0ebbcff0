import { useFetcher } from "@remix-run/react";
import { erc20Abi } from "viem";
import { useBalance, useConnection, useReadContract } from "wagmi";
import { addBucketsCall, approveCall, createCall } from "../../../../domain/campaigns/calls";
import { isNativeCoin } from "../../../../domain/campaigns/native-coin";
import { ConfirmField } from "../../../form/confirm-field";
import type { FormProblems } from "../../../form/problems";
import { Address } from "../../../ui/address";
import { Alert } from "../../../ui/alert";
import { Button } from "../../../ui/button";
import { Count } from "../../../ui/local";
import { Step, type StepState, Steps } from "../../../ui/step";
import { TokenAmount } from "../../../ui/token-amount";
import { ConnectWallet } from "../../../wallet/connect-wallet";
import { SendStatus } from "../../../wallet/send-status";
import { SwitchNetwork } from "../../../wallet/switch-network";
import { ConfirmSend } from "./confirm-send";
import type { ChainPageData } from "./page";
import type { useCampaignSend } from "./use-campaign-send";

/** The kinds of the transactions that these steps send. */
export const FUNDING: readonly string[] = ["approve", "create", "add"];

/**
 * Leads from a wallet to buckets on chain: the creation of the airdrop, or the addition to an
 * existing one.
 */
export function FundingSteps({
  page,
  canNameAdmin,
  sending,
}: {
  page: ChainPageData;
  canNameAdmin: boolean;
  sending: ReturnType<typeof useCampaignSend>;
}) {
  const { campaign, chain, unfunded } = page;
  const { address, chainId, isConnected } = useConnection();
  const name = useFetcher<{ problems: FormProblems }>();
  const isNative = isNativeCoin(campaign.token);
  const isCreation = campaign.onchainId === null;
  const isHere = isConnected && chainId === chain.id;
  const holding = useHolding(page, isHere ? address : undefined);
  const isAdmin = address?.toLowerCase() === campaign.adminAddress;
  const isApproved = isNative || (holding.allowance ?? 0n) >= unfunded.nextWei;
  // Some tokens, USDT among them, change an approval only from or to zero.
  const isResetNeeded = !isApproved && (holding.allowance ?? 0n) > 0n;
  const hasEnough = (holding.balance ?? 0n) >= unfunded.totalWei;
  const { state, send, settle, isBusy, minedText, problem } = sending;

  const done = [
    isConnected,
    isHere,
    isHere && hasEnough,
    isAdmin,
    ...(isNative ? [] : [isHere && isApproved]),
  ];
  const current = done.indexOf(false);
  const stateOf = (index: number): StepState => {
    if (current === -1) return index < done.length ? "done" : "current";
    if (index === current) return "current";
    return index < current ? "done" : "later";
  };
  const last = done.length;
  const terms = {
    contract: campaign.contractAddress,
    token: campaign.token,
    deadlineSeconds: campaign.deadlineSeconds,
    admin: campaign.adminAddress ?? campaign.token,
    ref: campaign.ref,
  };
  const fund = () => {
    const { next } = unfunded;
    if (campaign.onchainId === null) void send("create", createCall(terms, next));
    else void send("add", addBucketsCall(terms, campaign.onchainId, next));
    return undefined;
  };
  const adminProblem = name.data?.problems?.form ?? name.data?.problems?.fields.admin;
  return (
    <>
      <Steps label={isCreation ? "Create the campaign" : "Add the remaining buckets"}>
        <Step
          number={1}
          title="Connect a wallet"
          state={stateOf(0)}
          summary={stateOf(0) === "done" && <ConnectWallet />}
        >
          <ConnectWallet />
        </Step>
        <Step number={2} title={`Use ${chain.name}`} state={stateOf(1)}>
          <SwitchNetwork chain={chain} />
        </Step>
        <Step
          number={3}
          title="Fund the wallet"
          state={stateOf(2)}
          summary={<TokenAmount amountWei={unfunded.totalWei} token={campaign} isExact />}
        >
          {holding.isFailing ? (
            <Alert>The chain's endpoint does not answer. Try again in a moment.</Alert>
          ) : holding.balance === undefined ? (
            <p>Reading the balance…</p>
          ) : (
            <p>
              This wallet holds <TokenAmount amountWei={holding.balance} token={campaign} isExact />
              . Top it up, or connect another wallet.
            </p>
          )}
        </Step>
        <Step
          number={4}
          title="Name the admin"
          state={stateOf(3)}
          summary={campaign.adminAddress && <Address address={campaign.adminAddress} />}
        >
          <p>Only the admin can add buckets, cancel the campaign and take back unclaimed tokens.</p>
          {!isCreation ? (
            <p>Connect that wallet to continue.</p>
          ) : canNameAdmin ? (
            <name.Form method="post" className="space-y-3">
              <input type="hidden" name="intent" value="admin" />
              <input type="hidden" name="admin" value={address ?? ""} />
              <ConfirmField problems={name.data?.problems} />
              <Button type="submit" size="small" isBusy={name.state !== "idle"}>
                Make this wallet the admin
              </Button>
            </name.Form>
          ) : (
            <p>Only the owner of the point system can name the admin.</p>
          )}
          {adminProblem && <Alert>{adminProblem}</Alert>}
        </Step>
        {!isNative && (
          <Step
            number={5}
            title={`Approve ${campaign.tokenSymbol}`}
            state={stateOf(4)}
            summary="The contract can then take exactly this amount."
          >
            {isResetNeeded && (
              <>
                <p>
                  An earlier approval lets the contract take{" "}
                  <TokenAmount amountWei={holding.allowance ?? 0n} token={campaign} isExact />,
                  which is too little. Revoke it first: some tokens refuse to change an approval.
                </p>
                <Button
                  size="small"
                  isBusy={isBusy}
                  onClick={() => void send("approve", approveCall(terms, 0n))}
                >
                  Revoke the earlier approval
                </Button>
              </>
            )}
            {!isResetNeeded && (
              <Button
                size="small"
                isBusy={isBusy}
                onClick={() => void send("approve", approveCall(terms, unfunded.totalWei))}
              >
                Approve <TokenAmount amountWei={unfunded.totalWei} token={campaign} isExact />
              </Button>
            )}
          </Step>
        )}
        <Step
          number={last + 1}
          title={isCreation ? "Create the campaign" : "Add the buckets"}
          state={stateOf(last)}
          summary={
            unfunded.transactions > 1 && (
              <>
                <Count value={unfunded.transactions} /> transactions, one after the other.
              </>
            )
          }
        >
          <ConfirmSend
            label={isCreation ? "Create on chain" : "Add buckets"}
            title={isCreation ? `Create ${campaign.name}?` : "Add these buckets?"}
            text={
              <>
                <TokenAmount amountWei={unfunded.nextWei} token={campaign} isExact /> go from this
                wallet to the contract on {chain.name}, and can be claimed at once. Amounts cannot
                be changed afterwards. A deadline can only be moved later.
              </>
            }
            confirmLabel={isCreation ? "Create" : "Add"}
            isBusy={isBusy}
            onConfirm={fund}
          />
        </Step>
      </Steps>
      {state.step !== "idle" && FUNDING.includes(state.kind) && (
        <div className="border-t border-line px-4 py-3 sm:px-5">
          <SendStatus
            state={state}
            explorerUrl={chain.explorerUrl}
            minedText={minedText}
            onStop={settle}
          />
          {problem && <Alert>{problem}</Alert>}
        </div>
      )}
    </>
  );
}

/** Reads a wallet's balance of a campaign's token, and the contract's allowance. */
function useHolding({ campaign, chain }: ChainPageData, account: `0x${string}` | undefined) {
  const isNative = isNativeCoin(campaign.token);
  const chainId = chain.id as 84532;
  const native = useBalance({ address: account, chainId, query: { enabled: isNative } });
  const token = { abi: erc20Abi, address: campaign.token, chainId } as const;
  const enabled = !isNative && account !== undefined;
  const owner = account ?? campaign.token;
  const balance = useReadContract({
    ...token,
    functionName: "balanceOf",
    args: [owner],
    query: { enabled, refetchInterval: 10_000 },
  });
  const allowance = useReadContract({
    ...token,
    functionName: "allowance",
    args: [owner, campaign.contractAddress],
    query: { enabled, refetchInterval: 10_000 },
  });
  return {
    balance: isNative ? native.data?.value : balance.data,
    allowance: allowance.data,
    isFailing: native.isError || balance.isError,
  };
}
