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
}

/** Lists the keys that other members have made for the operator's point systems. */
export function ColleagueKeyList({
  keys,
  readAt,
}: {
  keys: readonly ColleagueKey[];
  readAt: number;
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
      ]}
    />
  );
}
