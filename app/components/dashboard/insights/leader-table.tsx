import { Address } from "../../ui/address";
import { EmptyState } from "../../ui/empty-state";
import { Count } from "../../ui/local";
import { Cell, Table } from "../../ui/table";
import { getSectionPath } from "../shell/sections";

interface Leader {
  address: string;
  points: number;
  events: number;
  rank: number;
}

const COLUMNS = [
  { label: "Rank", align: "end" },
  { label: "Wallet" },
  { label: "Points", align: "end" },
  { label: "Events", align: "end" },
] as const;

/** Shows the top of the board. */
export function LeaderTable({
  leaders,
  pointSystemId,
}: {
  leaders: readonly Leader[];
  pointSystemId: string;
}) {
  if (leaders.length === 0) {
    return (
      <EmptyState heading="No wallets on the board yet">
        A wallet appears here once it has points or is registered.
      </EmptyState>
    );
  }
  return (
    <Table label="Leaderboard" columns={COLUMNS}>
      {leaders.map(({ address, points, events, rank }) => (
        <tr key={address}>
          <Cell align="end">
            <Count value={rank} />
          </Cell>
          <Cell>
            <Address
              isRowLink
              address={address}
              to={getSectionPath(pointSystemId, `wallets/${address}`)}
            />
          </Cell>
          <Cell align="end">
            <Count value={points} />
          </Cell>
          <Cell align="end">
            <Count value={events} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}
