import type { ReactNode } from "react";
import { ConfirmForm } from "../../form/confirm-form";
import { NoteField } from "../../form/note-field";
import type { FormProblems } from "../../form/problems";
import { Address } from "../../ui/address";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Ago, Count } from "../../ui/local";

interface Spend {
  id: string;
  address: string;
  points: number;
  balance: number;
  reason: string;
  date: Date;
  reversed: { date: Date; operator: string | null; note: string | null } | null;
}

export interface SpendTableProps {
  spends: readonly Spend[];
  /** Makes the address of a wallet's page; left out, the table is one wallet's own. */
  getWalletHref?: (address: string) => string;
  canReverse: boolean;
  /** The problems of the form that reverses a spend. */
  problems: FormProblems | undefined;
  /** When the spends were read, in milliseconds since 1970. */
  readAt: number;
  emptyState: ReactNode;
}

/** Lists spends, newest first, with a form that gives one back. */
export function SpendTable(props: SpendTableProps) {
  const { spends, getWalletHref, canReverse, problems, readAt, emptyState } = props;
  const columns: DataColumn<Spend>[] = [
    {
      label: "Spend",
      isFlexible: true,
      cell: ({ address, reason, date, reversed }) => (
        <div className="whitespace-normal break-words">
          {reversed ? <del className="text-ink-muted">{reason}</del> : reason}
          {getWalletHref && (
            <div>
              <Address address={address} to={getWalletHref(address)} />
            </div>
          )}
          <div className="text-xs text-ink-muted">
            <Ago date={date} now={readAt} />
          </div>
          {reversed && (
            <div className="mt-1 text-xs">
              <span className="font-medium">Reversed</span>{" "}
              <Ago date={reversed.date} now={readAt} />
              {reversed.operator && <span> by {reversed.operator}</span>}
              {reversed.note && <>: “{reversed.note}”</>}
            </div>
          )}
        </div>
      ),
    },
    { label: "Points", align: "end", cell: ({ points }) => <Count value={points} /> },
    {
      label: "Balance after",
      align: "end",
      isSecondary: true,
      cell: ({ balance }) => <Count value={balance} />,
    },
  ];
  if (canReverse) {
    columns.push({
      label: "Action",
      align: "end",
      cell: (spend) =>
        spend.reversed === null && (
          <ReversalForm
            spend={spend}
            problems={problems?.values.spend === spend.id ? problems : undefined}
          />
        ),
    });
  }
  return (
    <DataTable
      label="Spends"
      columns={columns}
      rows={spends}
      getRowId={({ id }) => id}
      emptyState={emptyState}
    />
  );
}

function ReversalForm({
  spend: { id, points },
  problems,
}: {
  spend: Spend;
  problems: FormProblems | undefined;
}) {
  return (
    <ConfirmForm
      intent="reverse"
      fields={{ spend: id }}
      label="Reverse"
      size="small"
      heading="Reverse this spend?"
      text={
        <>
          The wallet can spend its <Count value={points} /> {points === 1 ? "point" : "points"}{" "}
          again. Take back what was given for {points === 1 ? "it" : "them"} first. This cannot be
          undone.
        </>
      }
      confirmLabel="Reverse the spend"
      problems={problems}
    >
      <NoteField problems={problems} />
    </ConfirmForm>
  );
}
