import { ConfirmForm } from "../../form/confirm-form";
import type { FormProblems } from "../../form/problems";
import { DataTable } from "../../ui/data-table";
import { Expiry, LastUse } from "./list";

interface ColleagueKey {
  id: string;
  name: string;
  permission: string;
  madeBy: string;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  pointSystems: readonly string[];
  /** Those that the reader owns. */
  ownedSystems: readonly string[];
}

/**
 * Lists the keys that other members have made for the operator's point systems, with a button for
 * owners that takes a key off theirs.
 */
export function ColleagueKeyList({
  keys,
  readAt,
  problems,
}: {
  keys: readonly ColleagueKey[];
  readAt: number;
  /** The problems of a key that could not be removed. */
  problems: FormProblems | undefined;
}) {
  return (
    <DataTable
      label="Keys of other members"
      rows={keys}
      getRowId={({ id }) => id}
      columns={[
        {
          label: "Key",
          isFlexible: true,
          cell: ({ name, permission, expiresAt }) => (
            <>
              <div title={name} className="truncate font-medium">
                {name}
              </div>
              <div className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-ink-muted">
                <span>{permission}</span>
                <Expiry expiresAt={expiresAt} readAt={readAt} />
              </div>
            </>
          ),
        },
        {
          label: "Point systems",
          isSecondary: true,
          cell: ({ pointSystems }) => (
            <span title={pointSystems.join(", ")} className="block max-w-48 truncate">
              {pointSystems.join(", ")}
            </span>
          ),
        },
        {
          label: "Made by",
          cell: ({ madeBy }) => (
            <span title={madeBy} className="block max-w-40 truncate">
              {madeBy}
            </span>
          ),
        },
        {
          label: "Last used",
          isSecondary: true,
          cell: ({ lastUsedAt }) => <LastUse date={lastUsedAt} readAt={readAt} />,
        },
        {
          label: "Remove",
          align: "end",
          cell: ({ id, name, ownedSystems }) =>
            ownedSystems.length > 0 && (
              <ConfirmForm
                intent="remove"
                fields={{ id }}
                label={
                  <>
                    Remove<span className="sr-only"> {name}</span>
                  </>
                }
                size="small"
                heading={`Remove ${name}?`}
                text={`It loses access to ${ownedSystems.join(", ")} at once. This cannot be undone.`}
                confirmLabel="Remove the key"
                problems={problems?.values.id === id ? problems : undefined}
              />
            ),
        },
      ]}
    />
  );
}
