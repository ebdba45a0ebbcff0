import { Link } from "@remix-run/react";
import type { RewardKind, RewardStatus } from "../../../domain/rewards/reward";
import { isRewardChainId, REWARD_CHAINS } from "../../../domain/rewards/reward-chain";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { ROW_LINK } from "../../ui/table";
import { TokenAmount } from "../../ui/token-amount";
import { RewardBadge } from "./badge";

interface RewardSummary {
  id: string;
  kind: RewardKind;
  campaignId: string | null;
  campaignName: string;
  status: RewardStatus;
  chainId: number | null;
  isSplit: boolean;
  isOver: boolean;
  tokenSymbol: string | null;
  tokenDecimals: number | null;
  totalAmountWei: bigint | null;
  wallets: number;
  createdAt: Date;
}

/**
 * Lists a point system's rewards, of both kinds.
 * @param props.now when they were read, in milliseconds since 1970
 * @param props.walletsCountedMax the largest number of wallets that is counted exactly
 */
export function RewardList({
  rewards,
  now,
  base,
  canEdit,
  walletsCountedMax,
}: {
  rewards: readonly RewardSummary[];
  now: number;
  base: string;
  canEdit: boolean;
  walletsCountedMax: number;
}) {
  const columns: readonly DataColumn<RewardSummary>[] = [
    {
      label: "Reward",
      isFlexible: true,
      cell: ({ id, kind, campaignId, campaignName, chainId }) => (
        <>
          <Link
            {...ROW_LINK}
            to={`${base}/${kind === "token" ? "rewards" : "gift-cards"}/${id}`}
            title={campaignName}
            className="flex min-h-6 items-center font-medium text-accent hover:underline"
          >
            <span className="truncate">{campaignName}</span>
          </Link>
          <div className="truncate text-xs text-ink-muted">
            {kind === "giftcard" ? "Gift cards" : campaignId}
            {chainId !== null && isRewardChainId(chainId) && ` · ${REWARD_CHAINS[chainId].name}`}
          </div>
        </>
      ),
    },
    { label: "State", cell: (reward) => <RewardBadge reward={reward} /> },
    {
      label: "Wallets",
      align: "end",
      isSecondary: true,
      cell: ({ kind, wallets }) =>
        kind === "giftcard" && wallets > walletsCountedMax ? (
          <>
            over <Count value={walletsCountedMax} />
          </>
        ) : (
          <Count value={wallets} />
        ),
    },
    {
      label: "Created",
      align: "end",
      isSecondary: true,
      cell: ({ createdAt }) => <Ago date={createdAt} now={now} />,
    },
    // Last, since the other columns are left out on a phone.
    {
      label: "Amount",
      align: "end",
      cell: ({ totalAmountWei, tokenDecimals, tokenSymbol }) =>
        totalAmountWei === null || tokenDecimals === null || tokenSymbol === null ? (
          "–"
        ) : (
          <TokenAmount amountWei={totalAmountWei} token={{ tokenDecimals, tokenSymbol }} />
        ),
    },
  ];
  return (
    <DataTable
      label="Rewards"
      columns={columns}
      rows={rewards}
      getRowId={({ id }) => id}
      emptyState={
        <EmptyState heading="No rewards yet">
          {canEdit
            ? "Create a campaign that splits a token amount by points, or distribute gift cards. Only members see drafts."
            : "The owner and editors can create campaigns and gift cards."}
        </EmptyState>
      }
    />
  );
}
