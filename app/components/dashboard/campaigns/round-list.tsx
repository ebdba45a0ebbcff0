import type { CampaignRound } from "../../../domain/campaigns/campaign";
import type { AllocationStatus } from "../../../domain/rewards/reward";
import { Badge } from "../../ui/badge";
import { Ago, Count } from "../../ui/local";
import { Cell, Table } from "../../ui/table";
import { TokenAmount } from "../../ui/token-amount";

const STATES = {
  queued: { label: "Waiting", tone: "accent" },
  allocating: { label: "Computing", tone: "accent" },
  building: { label: "Building", tone: "accent" },
  checking: { label: "Checking", tone: "accent" },
  built: { label: "Built", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
} as const satisfies Record<AllocationStatus, object>;

const COLUMNS = [
  { label: "Split" },
  { label: "State" },
  { label: "Points read", isSecondary: true },
  { label: "Wallets", align: "end" },
  { label: "Wallets per tree", align: "end", isSecondary: true },
  { label: "Amount", align: "end" },
] as const;

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
  return (
    <Table label="Splits" columns={COLUMNS}>
      {rounds.map(({ round, status, snapshotAt, wallets, bucketSize, totalAmountWei }) => (
        <tr key={round}>
          <Cell>{round === 0 ? "First" : <>Added {round}</>}</Cell>
          <Cell>
            <Badge tone={STATES[status].tone}>{STATES[status].label}</Badge>
          </Cell>
          <Cell isSecondary>{snapshotAt ? <Ago date={snapshotAt} now={now} /> : "–"}</Cell>
          <Cell align="end">{wallets === null ? "–" : <Count value={wallets} />}</Cell>
          <Cell align="end" isSecondary>
            {bucketSize === null ? "–" : <Count value={bucketSize} />}
          </Cell>
          <Cell align="end">
            <TokenAmount amountWei={totalAmountWei} token={token} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
