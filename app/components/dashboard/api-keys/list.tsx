import { Link } from "@remix-run/react";
import type { Permission } from "../../../domain/access/api-key";
import { ConfirmForm } from "../../form/confirm-form";
import type { FormProblems } from "../../form/problems";
import { Badge } from "../../ui/badge";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Day } from "../../ui/local";
import { SandboxBadge } from "../shell/sandbox-badge";

interface ApiKey {
  id: string;
  name: string;
  permission: Permission;
  isSandbox: boolean;
  hint: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  pointSystems: readonly { id: string; name: string }[];
}

/** Lists an operator's keys, each with a button that revokes it. */
export function ApiKeyList({
  label,
  keys,
  readAt,
  problems,
  hasColleagueKeys = false,
}: {
  label: string;
  keys: readonly ApiKey[];
  /** When the keys were read, in milliseconds since 1970. */
  readAt: number;
  /** The problems of a key that could not be revoked. */
  problems: FormProblems | undefined;
  /** Whether other members have keys for the operator's point systems. */
  hasColleagueKeys?: boolean;
}) {
  const columns: DataColumn<ApiKey>[] = [
    {
      label: "Key",
      isFlexible: true,
      cell: (key) => (
        <>
          <div title={key.name} className="truncate font-medium">
            {key.name}
          </div>
          <div className="flex flex-wrap items-center gap-x-2 text-[0.8125rem] text-ink-muted">
            <span className="font-mono" title="The beginning of the key's SHA-256 hash">
              #{key.hint}
            </span>
            <span>{key.permission}</span>
            <SandboxBadge isSandbox={key.isSandbox} />
            <Expiry expiresAt={key.expiresAt} readAt={readAt} />
          </div>
          <div className="text-[0.8125rem] text-ink-muted sm:hidden">
            <Scope pointSystems={key.pointSystems} />
            <div>
              Used: <LastUse date={key.lastUsedAt} readAt={readAt} />
            </div>
          </div>
        </>
      ),
    },
    {
      label: "Point systems",
      isSecondary: true,
      cell: ({ pointSystems }) => <Scope pointSystems={pointSystems} />,
    },
    {
      label: "Created",
      isSecondary: true,
      cell: ({ createdAt }) => (
        <span className="whitespace-nowrap">
          <Day date={createdAt} />
        </span>
      ),
    },
    {
      label: "Last used",
      isSecondary: true,
      cell: ({ lastUsedAt }) => <LastUse date={lastUsedAt} readAt={readAt} />,
    },
    {
      label: "Delete",
      align: "end",
      cell: ({ id, name }) => (
        <ConfirmForm
          intent="delete"
          fields={{ id }}
          label={
            <>
              Delete<span className="sr-only"> {name}</span>
            </>
          }
          size="small"
          heading={`Delete ${name}?`}
          text="Applications that use it lose access at once. This cannot be undone."
          confirmLabel="Delete the key"
          problems={problems?.values.id === id ? problems : undefined}
        />
      ),
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={keys}
      getRowId={({ id }) => id}
      emptyState={
        hasColleagueKeys ? (
          <EmptyState heading="You have no keys of your own">
            Other members have keys for point systems that you share. They are listed below.
          </EmptyState>
        ) : (
          <EmptyState heading="No API keys yet">
            Your application calls the API with a key. Create the first one below.
          </EmptyState>
        )
      }
    />
  );
}

/** Shows when a key expires; nothing when it does not. */
export function Expiry({ expiresAt, readAt }: { expiresAt: Date | null; readAt: number }) {
  if (!expiresAt) return null;
  if (expiresAt.getTime() <= readAt) return <Badge tone="danger">Expired</Badge>;
  return (
    <span>
      until <Day date={expiresAt} />
    </span>
  );
}

/** Shows when a key was last used. */
export function LastUse({ date, readAt }: { date: Date | null; readAt: number }) {
  return date ? <Ago date={date} now={readAt} /> : <span className="text-ink-muted">Never</span>;
}

function Scope({ pointSystems }: { pointSystems: ApiKey["pointSystems"] }) {
  if (pointSystems.length === 0) return <span className="text-ink-muted">None left</span>;
  return (
    <ul className="space-y-0.5">
      {pointSystems.map(({ id, name }) => (
        <li key={id} className="max-w-48 truncate" title={name}>
          <Link to={`/dashboard/${id}`} className="inline-block min-h-6 hover:underline">
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
