import type { CampaignRound } from "../../../domain/campaigns/campaign";
import type { AllocationStatus } from "../../../domain/rewards/reward";
import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Ago, Count } from "../../ui/local";
import { TokenAmount } from "../../ui/token-amount";

const STATES = {
  queued: { label: "Waiting", tone: "accent" },
  allocating: { label: "Computing", tone: "accent" },
  building: { label: "Building", tone: "accent" },
  checking: { label: "Checking", tone: "accent" },
  built: { label: "Built", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
} as const satisfies Record<AllocationStatus, object>;

/**
 * Lists a campaign's splits.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function RoundList({
  rounds,
  token,
  now,
}: {
  rounds: readonly CampaignRound[];
  token: { tokenDecimals: number; tokenSymbol: string };
  now: number;
}) {
  const columns: readonly DataColumn<CampaignRound>[] = [
    {
      label: "Split",
      cell: ({ round }) => (round === 0 ? "First" : <>Added {round}</>),
    },
    {
      label: "State",
      cell: ({ status }) => <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>,
    },
    {
      label: "Points read",
      isSecondary: true,
      cell: ({ snapshotAt }) => (snapshotAt ? <Ago date={snapshotAt} now={now} /> : "–"),
    },
    {
      label: "Wallets",
      align: "end",
      cell: ({ wallets }) => (wallets === null ? "–" : <Count value={wallets} />),
    },
    {
      label: "Wallets per tree",
      align: "end",
      isSecondary: true,
      cell: ({ bucketSize }) => (bucketSize === null ? "–" : <Count value={bucketSize} />),
    },
    {
      label: "Amount",
      align: "end",
      cell: ({ totalAmountWei }) => <TokenAmount amountWei={totalAmountWei} token={token} />,
    },
  ];
  return (
    <DataTable
      label="Splits"
      columns={columns}
      rows={rounds}
      getRowId={({ round }) => String(round)}
    />
  );
}
