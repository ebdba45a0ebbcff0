import { ROW_PROBLEMS, type RowProblem } from "../../../domain/imports/import-row";
import { Address } from "../../ui/address";
import { Alert } from "../../ui/alert";
import { Card } from "../../ui/card";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Figure } from "../../ui/fact";
import { Count } from "../../ui/local";

interface Problem {
  line: number;
  cells: readonly string[];
  problem: RowProblem;
}

interface WalletSum {
  address: string;
  points: number;
}

export interface ImportDryRunProps {
  rows: number;
  wallets: number;
  newWallets: number;
  points: number;
  problemRows: number;
  duplicates: number;
  unreadableFrom: number | null;
  hasTooManyRows: boolean;
  doubtfulRows: number;
  firstDoubtfulLine: number | null;
  problems: readonly Problem[];
  repeated: readonly (WalletSum & { rows: number })[];
  largest: readonly WalletSum[];
}

/**
 * Shows the effect of an import, were it committed now.
 * @param props.problemsHref the file of all rows that are left out
 * @param props.walletHref the path beneath which wallets have their pages
 */
export function ImportDryRun({
  preview,
  problemsHref,
  walletHref,
}: {
  preview: ImportDryRunProps;
  problemsHref: string;
  walletHref: string;
}) {
  const { rows, wallets, newWallets, points, problemRows, problems, duplicates } = preview;
  const walletColumn = {
    label: "Wallet",
    cell: ({ address }: WalletSum) => <Address address={address} to={`${walletHref}/${address}`} />,
  };
  const pointsColumn = {
    label: "Points",
    align: "end",
    cell: (sum: WalletSum) => <Count value={sum.points} />,
  } as const;
  return (
    <>
      <Card heading="Dry run" aside="Nothing is credited yet.">
        {preview.unreadableFrom !== null && (
          <div className="p-4 pb-0 sm:p-5 sm:pb-0">
            <Alert>
              From row {preview.unreadableFrom} on, the file cannot be read. Usually a quote is
              opened there and never closed. Fix the file and upload it again.
            </Alert>
          </div>
        )}
        {preview.hasTooManyRows && (
          <div className="p-4 pb-0 sm:p-5 sm:pb-0">
            <Alert>The file has too many rows. Split it into several imports.</Alert>
          </div>
        )}
        {preview.doubtfulRows > 0 && (
          <div className="p-4 pb-0 sm:p-5 sm:pb-0">
            <Alert tone="warning">
              {preview.doubtfulRows === 1 ? (
                <>Look at row {preview.firstDoubtfulLine}: its address may be mistyped.</>
              ) : (
                <>
                  Look at <Count value={preview.doubtfulRows} /> rows, from row{" "}
                  {preview.firstDoubtfulLine} on: their addresses may be mistyped.
                </>
              )}{" "}
              The checksum does not match, or nobody owns the address.
            </Alert>
          </div>
        )}
        <dl className="grid grid-cols-2 gap-4 p-4 sm:grid-cols-3 sm:p-5 lg:grid-cols-5">
          <Figure label="Rows">
            <Count value={rows} />
          </Figure>
          <Figure label="Rows with errors">
            <Count value={problemRows} />
          </Figure>
          <Figure label="Wallets">
            <Count value={wallets} />
          </Figure>
          <Figure label="New wallets">
            <Count value={newWallets} />
          </Figure>
          <Figure label="Points">
            <Count value={points} />
          </Figure>
        </dl>
      </Card>
      {problemRows > 0 && (
        <Card
          heading="Rows with errors"
          aside={
            <a
              href={problemsHref}
              download
              className="inline-flex min-h-6 items-center text-accent underline"
            >
              Download them all
            </a>
          }
        >
          <p className="px-4 pt-3 text-sm text-ink-muted sm:px-5">
            They are skipped.{" "}
            {problemRows > problems.length && (
              <>
                The first <Count value={problems.length} /> of <Count value={problemRows} />:
              </>
            )}
          </p>
          <DataTable
            label="Rows with errors"
            columns={PROBLEM_COLUMNS}
            rows={problems}
            getRowId={({ line }) => String(line)}
          />
        </Card>
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        {duplicates > 0 && (
          <Card
            heading="Wallets in several rows"
            aside={
              <>
                <Count value={duplicates} /> in all, each credited once with the sum
              </>
            }
          >
            <DataTable
              label="Wallets in several rows"
              columns={[
                walletColumn,
                {
                  label: "Rows",
                  align: "end",
                  cell: (sum) => <Count value={sum.rows} />,
                },
                { ...pointsColumn, label: "Sum" },
              ]}
              rows={preview.repeated}
              getRowId={({ address }) => address}
            />
          </Card>
        )}
        {preview.largest.length > 0 && (
          <Card heading="Largest credits" aside={`Top ${preview.largest.length}`}>
            <DataTable
              label="Largest credits"
              columns={[walletColumn, pointsColumn]}
              rows={preview.largest}
              getRowId={({ address }) => address}
            />
          </Card>
        )}
      </div>
    </>
  );
}

const PROBLEM_COLUMNS: readonly DataColumn<Problem>[] = [
  { label: "Row", align: "end", cell: ({ line }) => <Count value={line} /> },
  {
    label: "Error",
    isFlexible: true,
    cell: ({ problem, cells }) => (
      <>
        <div className="whitespace-normal">{ROW_PROBLEMS[problem]}</div>
        <div className="truncate font-mono text-xs text-ink-muted">
          {cells.join(" | ").slice(0, 200)}
        </div>
      </>
    ),
  },
];
