import { Link } from "@remix-run/react";
import type { ImportStatus } from "../../../domain/imports/import";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { ROW_LINK } from "../../ui/table";
import { ImportBadge } from "./status";

interface ImportSummary {
  id: string;
  fileName: string;
  status: ImportStatus;
  failure: string | null;
  wallets: number;
  walletsDone: number;
  points: number;
  createdAt: Date;
  operator: string | null;
}

/**
 * Lists a point system's imports.
 * @param props.now when they were read, in milliseconds since 1970
 */
export function ImportList({
  imports,
  now,
  canImport,
}: {
  imports: readonly ImportSummary[];
  now: number;
  canImport: boolean;
}) {
  const columns: readonly DataColumn<ImportSummary>[] = [
    {
      label: "File",
      isFlexible: true,
      cell: ({ id, fileName, operator, createdAt }) => (
        <>
          <Link
            {...ROW_LINK}
            to={id}
            relative="path"
            title={fileName}
            className="flex min-h-6 items-center font-medium text-accent hover:underline"
          >
            <span className="truncate">{fileName}</span>
          </Link>
          <div className="truncate text-xs text-ink-muted">
            <Ago date={createdAt} now={now} />
            {operator && ` · ${operator}`}
          </div>
        </>
      ),
    },
    {
      label: "State",
      cell: ({ status, failure }) => <ImportBadge status={status} hasFailed={failure !== null} />,
    },
    {
      label: "Wallets",
      align: "end",
      cell: ({ status, wallets, walletsDone }) => {
        if (status === "draft") return "–";
        if (status === "committed") return <Count value={wallets} />;
        return (
          <>
            <Count value={walletsDone} /> of <Count value={wallets} />
          </>
        );
      },
    },
    {
      label: "Points",
      align: "end",
      isSecondary: true,
      cell: ({ status, points }) => (status === "draft" ? "–" : <Count value={points} />),
    },
  ];
  return (
    <DataTable
      label="Imports"
      columns={columns}
      rows={imports}
      getRowId={({ id }) => id}
      emptyState={
        <EmptyState heading="No imports yet">
          {canImport
            ? "Upload a file of addresses and points. Preview it before anything is credited."
            : "The owner and editors can upload files of addresses and points."}
        </EmptyState>
      }
    />
  );
}
