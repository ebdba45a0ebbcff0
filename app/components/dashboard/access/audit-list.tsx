import { Form, Link, useLocation } from "@remix-run/react";
import { ALL_SECURITY_EVENTS, AUDIT_ACTIONS, isAuditAction } from "../../../domain/access/audit";
import { Field } from "../../form/field";
import { SelectField } from "../../form/select-field";
import { Button, getButtonClass } from "../../ui/button";
import { EmptyState } from "../../ui/empty-state";
import { Ago } from "../../ui/local";
import { CursorPager } from "../../ui/pager";

type Fields = Readonly<Record<string, unknown>>;

interface AuditEntry {
  id: number;
  createdAt: Date;
  actor: string;
  ip: string | null;
  action: string;
  subject: string;
  before: Fields | null;
  after: Fields | null;
}

export interface AuditListProps {
  entries: readonly AuditEntry[];
  olderId: number | null;
  /** Whether only some of the entries on the way to `olderId` were searched for the page. */
  isCutShort: boolean;
  filter: { action: string | null; actor: string | null; beforeId: number | null };
  /** When the entries were read, in milliseconds since 1970. */
  readAt: number;
  /** Whether the reader may look for an operator's address. */
  findsOperators: boolean;
}

/** Lists audit entries with operator, action, time and address, newest first, with a filter. */
export function AuditList(props: AuditListProps) {
  const { entries, olderId, isCutShort, filter, readAt, findsOperators } = props;
  const makeHref = (before: number | null) => {
    const query = new URLSearchParams();
    if (filter.action) query.set("action", filter.action);
    if (filter.actor) query.set("actor", filter.actor);
    if (before !== null) query.set("before", String(before));
    return `?${query}`;
  };
  const { pathname } = useLocation();
  const files = [
    { label: "Export CSV", ending: ".csv" },
    { label: "Export JSON lines", ending: ".jsonl" },
  ];
  const isFiltered = filter.action !== null || filter.actor !== null;
  return (
    <>
      <Form role="search" className="mt-6 flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-48">
          <SelectField
            label="Action"
            isUnmarked
            name="action"
            defaultValue={filter.action ?? ""}
            options={[
              { value: "", label: "All actions" },
              { value: ALL_SECURITY_EVENTS, label: "All security events" },
              ...Object.entries(AUDIT_ACTIONS).map(([value, label]) => ({ value, label })),
            ]}
          />
        </div>
        {findsOperators && (
          <div className="min-w-0 flex-1 basis-48">
            <Field
              label="Operator"
              name="actor"
              isUnmarked
              autoComplete="off"
              placeholder="Email address"
              defaultValue={filter.actor ?? ""}
            />
          </div>
        )}
        <Button type="submit" variant="quiet">
          Filter
        </Button>
        {files.map(({ label, ending }) => (
          <a
            key={ending}
            className={getButtonClass("quiet")}
            href={`${pathname.replace(/\/$/, "")}${ending}${makeHref(null)}`}
          >
            {label}
          </a>
        ))}
      </Form>
      <div className="mt-4 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        {entries.length === 0 && isCutShort ? (
          <EmptyState heading="Nothing found so far">
            Only some of the actions were searched. Continue with the button below.
          </EmptyState>
        ) : entries.length === 0 ? (
          <EmptyState heading={isFiltered ? "Nothing matches" : "No actions yet"}>
            {isFiltered ? (
              <Link to="?" className="text-accent underline">
                Show everything
              </Link>
            ) : (
              "Every change by an operator is recorded here."
            )}
          </EmptyState>
        ) : (
          <ol className="divide-y divide-line">
            {entries.map((entry) => (
              <li key={entry.id} className="px-4 py-3 text-sm sm:px-5">
                <Entry entry={entry} readAt={readAt} />
              </li>
            ))}
          </ol>
        )}
      </div>
      {isCutShort && entries.length > 0 && (
        <p className="mt-3 text-sm text-ink-muted">
          Only some of the actions were searched. There may be more.
        </p>
      )}
      <CursorPager
        newerHref={filter.beforeId === null ? null : makeHref(null)}
        newerLabel="Newest"
        olderHref={olderId === null ? null : makeHref(olderId)}
        olderLabel={isCutShort ? "Search older actions" : "Older"}
      />
    </>
  );
}

function Entry({ entry, readAt }: { entry: AuditEntry; readAt: number }) {
  const { action, subject, actor, ip, createdAt, before, after } = entry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => format(before?.[name]) !== format(after?.[name]));
  return (
    <>
      <p className="break-words">
        <span className="font-medium">
          {isAuditAction(action) ? AUDIT_ACTIONS[action] : action}
        </span>{" "}
        <span className="break-all text-ink-muted">{subject}</span>
      </p>
      <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-muted">
        <span className="break-all">{actor}</span>
        {ip && <span>{ip}</span>}
        <Ago date={createdAt} now={readAt} />
      </p>
      {changed.length > 0 && (
        <dl className="mt-2 space-y-1 text-xs">
          {changed.map((name) => (
            <div key={name} className="flex flex-wrap gap-x-2">
              <dt className="text-ink-muted">{name}</dt>
              <dd className="min-w-0 break-all font-mono">
                {before && name in before && (
                  <del className="mr-2 text-ink-muted">{format(before[name])}</del>
                )}
                {after && name in after && (
                  <ins className="no-underline">{format(after[name])}</ins>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function format(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
