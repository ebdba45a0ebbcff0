import { isNativeCoin } from "../../../../domain/campaigns/native-coin";
import { Address } from "../../../ui/address";
import { Alert } from "../../../ui/alert";
import { Badge } from "../../../ui/badge";
import { Card } from "../../../ui/card";
import { Fact } from "../../../ui/fact";
import { Count, Day } from "../../../ui/local";
import { TokenAmount } from "../../../ui/token-amount";
import { Deadline } from "../deadline";
import type { ChainPageData, ChainStage } from "./page";

const BADGES = {
  unbuilt: ["Not built", "neutral"],
  unconfigured: ["Chain not set up", "danger"],
  undeployed: ["No contract", "danger"],
  ready: ["Ready to create", "accent"],
  late: ["Too late to create", "danger"],
  active: ["Active", "success"],
  ended: ["Ended", "neutral"],
  withdrawn: ["Cancelled", "danger"],
} as const satisfies Record<ChainStage, readonly [string, Parameters<typeof Badge>[0]["tone"]]>;

const DEPLOYMENTS = {
  deployed: "Deployed, with this version's code",
  absent: "Not deployed",
  different: "Another contract",
} as const;

/**
 * Shows a campaign's facts on chain, or the exact terms of its creation.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function ChainDetails({
  page,
  stage,
  now,
}: {
  page: ChainPageData;
  stage: ChainStage;
  now: number;
}) {
  const { campaign, chain, unfunded, funded } = page;
  const [word, tone] = BADGES[stage];
  const isCreated = campaign.onchainId !== null;
  const heading = isCreated
    ? "On chain"
    : stage === "late"
      ? "Planned airdrop"
      : "Airdrop to create";
  return (
    <Card heading={heading} aside={<Badge tone={tone}>{word}</Badge>}>
      <dl className="grid gap-x-6 gap-y-4 p-4 text-sm sm:grid-cols-2 sm:p-5">
        <Fact label="Chain">{chain.name}</Fact>
        <Fact label="Contract">
          <Address address={campaign.contractAddress} />
          {page.deployment && (
            <span className="ml-2 text-ink-muted">{DEPLOYMENTS[page.deployment]}</span>
          )}
        </Fact>
        <Fact label="Token">
          {isNativeCoin(campaign.token) ? (
            `${chain.nativeSymbol}, the chain's native coin`
          ) : (
            <>
              {campaign.tokenSymbol} <Address address={campaign.token} />
            </>
          )}
        </Fact>
        <Fact label="Total">
          <TokenAmount amountWei={campaign.totalAmountWei} token={campaign} isExact />
        </Fact>
        <Fact label="Deadline">
          {campaign.claimDeadline ? (
            <Deadline
              date={campaign.claimDeadline}
              timeZone={campaign.deadlineTimeZone}
              now={now}
            />
          ) : (
            "None"
          )}
        </Fact>
        <Fact label="Admin: can cancel the campaign and take its tokens back" isWide>
          <AdminFact campaign={campaign} />
        </Fact>
        {isCreated && (
          <>
            <Fact label="ID in the contract">{String(campaign.onchainId)}</Fact>
            <Fact label="Funded">
              <TokenAmount amountWei={funded.totalWei} token={campaign} isExact /> (
              <Count value={funded.buckets} />{" "}
              {funded.buckets === 1 ? "Merkle tree" : "Merkle trees"})
            </Fact>
          </>
        )}
        {unfunded.buckets > 0 && (
          <>
            <Fact label={isCreated ? "Buckets to add" : "Buckets"}>
              <Count value={unfunded.buckets} />, each with its root
            </Fact>
            <Fact label="Transactions">
              <Count value={unfunded.transactions} />, about <Count value={unfunded.gas} /> gas in
              all{isNativeCoin(campaign.token) ? "" : ", and an approval"}
            </Fact>
          </>
        )}
        {campaign.cancelledOnchainAt && (
          <Fact label="Cancelled">
            <Day date={campaign.cancelledOnchainAt} />
          </Fact>
        )}
        {campaign.creationTxHash && (
          <Fact label="Transactions found">
            <ul className="space-y-1">
              {page.transactions.map(({ txHash, isFinal, ...row }) => (
                <li key={txHash}>
                  {nameTransaction(row)}{" "}
                  <a
                    href={`${chain.explorerUrl}/tx/${txHash}`}
                    rel="noreferrer"
                    className="font-mono text-[0.8125rem] text-accent underline"
                  >
                    {txHash.slice(0, 10)}…
                  </a>{" "}
                  {!isFinal && <span className="text-ink-muted">not final yet</span>}
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
    </Card>
  );
}

/** Shows the whole address of the admin in large type, and warns when it is not the first one. */
function AdminFact({ campaign }: { campaign: ChainPageData["campaign"] }) {
  const { adminAddress, formerAdminAddress, adminNamedAt, onchainId } = campaign;
  if (adminAddress === null) return "Not named yet";
  return (
    <>
      <span className="block break-all font-mono text-lg font-semibold leading-snug">
        {adminAddress}
      </span>
      {formerAdminAddress && adminNamedAt && onchainId === null && (
        <div className="mt-2">
          <Alert>
            The admin was changed on <Day date={adminNamedAt} />. Before, it was{" "}
            <span className="break-all font-mono">{formerAdminAddress}</span>. Ask the owner before
            you send tokens.
          </Alert>
        </div>
      )}
    </>
  );
}

function nameTransaction({
  isCreation,
  isCancellation,
  refundedWei,
  isAdminChange,
  isExtension,
}: Omit<ChainPageData["transactions"][number], "txHash" | "isFinal">): string {
  if (isCreation) return "Creation";
  if (isCancellation) return "Cancellation";
  if (refundedWei > 0n) return "Refund";
  if (isExtension) return "Deadline";
  return isAdminChange ? "Admin" : "Buckets";
}
