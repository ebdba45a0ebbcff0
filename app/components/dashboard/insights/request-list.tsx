import { Form, Link } from "@remix-run/react";
import type { LoggedCall, RequestFilter } from "../../../domain/insights/logged-call";
import { Field } from "../../form/field";
import { SelectField } from "../../form/select-field";
import { Button } from "../../ui/button";
import { EmptyState } from "../../ui/empty-state";
import { Ago, Count } from "../../ui/local";
import { CursorPager } from "../../ui/pager";
import { Cell, Table } from "../../ui/table";

interface Option {
  readonly value: string;
  readonly label: string;
}

export interface RequestListProps {
  calls: readonly LoggedCall[];
  newer: string | null;
  older: string | null;
  /** The side on which the search stopped early. */
  cutShortAt: "older" | "newer" | null;
  filter: RequestFilter;
  endpoints: readonly Option[];
  codes: readonly Option[];
  /** When the calls were read, in milliseconds since 1970. */
  readAt: number;
}

const COLUMNS = [
  { label: "Request" },
  { label: "Answer" },
  { label: "API key", isSecondary: true },
  { label: "Duration", align: "end", isSecondary: true },
  { label: "When", align: "end" },
] as const;

/** Lists calls of the API, newest first, with a filter and a search by request id. */
export function RequestList(props: RequestListProps) {
  const { calls, newer, older, cutShortAt, filter, endpoints, codes, readAt } = props;
  const given = Object.entries({
    ...{ id: filter.requestId, endpoint: filter.endpoint, code: filter.code, key: filter.apiKeyId },
  }).filter((entry): entry is [string, string] => entry[1] !== null);
  const makeHref = (place: Readonly<Record<string, string>>) =>
    `?${new URLSearchParams([...given, ...Object.entries(place)])}`;
  return (
    <>
      <Form role="search" className="mt-6 flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-[2] basis-72">
          <Field
            label="Request id"
            name="id"
            isUnmarked
            autoComplete="off"
            placeholder="The X-Request-Id of a response"
            defaultValue={filter.requestId ?? ""}
          />
        </div>
        <div className="min-w-0 flex-1 basis-44">
          <SelectField
            label="Endpoint"
            isUnmarked
            name="endpoint"
            defaultValue={filter.endpoint ?? ""}
            options={[{ value: "", label: "All endpoints" }, ...endpoints]}
          />
        </div>
        <div className="min-w-0 flex-1 basis-44">
          <SelectField
            label="Answer"
            isUnmarked
            name="code"
            defaultValue={filter.code ?? ""}
            options={[{ value: "", label: "All answers" }, ...codes]}
          />
        </div>
        {filter.apiKeyId && <input type="hidden" name="key" value={filter.apiKeyId} />}
        <Button type="submit" variant="quiet">
          Filter
        </Button>
      </Form>
      <div className="mt-4 overflow-hidden rounded-xl border border-line bg-raised shadow-sm">
        {calls.length === 0 && cutShortAt !== null ? (
          <EmptyState heading="Nothing found so far">
            Only some of the calls were searched. Continue with the button below.
          </EmptyState>
        ) : calls.length === 0 && (newer || older) ? (
          <EmptyState heading={newer ? "No older calls" : "No newer calls"}>
            Go back with the button below.
          </EmptyState>
        ) : calls.length === 0 ? (
          <EmptyState heading={given.length > 0 ? "Nothing matches" : "No calls yet"}>
            {given.length > 0 ? (
              <Link to="?" className="text-accent underline">
                Show everything
              </Link>
            ) : (
              "A call appears a few seconds after its answer."
            )}
          </EmptyState>
        ) : (
          <Table label="Requests" columns={COLUMNS}>
            {calls.map((call) => (
              <Row key={call.id} call={call} now={readAt} />
            ))}
          </Table>
        )}
      </div>
      {cutShortAt && calls.length > 0 && (
        <p className="mt-3 text-sm text-ink-muted">
          Only some of the calls were searched. There may be more.
        </p>
      )}
      <CursorPager
        label="Pages of requests"
        newerHref={newer && makeHref({ newer })}
        newerLabel={cutShortAt === "newer" ? "Search newer calls" : "Newer"}
        olderHref={older && makeHref({ older })}
        olderLabel={cutShortAt === "older" ? "Search older calls" : "Older"}
      />
    </>
  );
}

function Row({ call, now }: { call: LoggedCall; now: number }) {
  const { requestId, endpoint, status, code, apiKeyId, keyName, tookMs, answeredAt } = call;
  return (
    <tr>
      <Cell>
        <span className="font-medium">/{endpoint}</span>
        <span className="block break-all font-mono text-xs text-ink-muted">{requestId}</span>
      </Cell>
      <Cell>
        <span className="mr-2 font-mono text-[0.8125rem]">{status}</span>
        {code && (
          <a href={`/docs/errors/${code}`} className="break-all text-accent underline">
            {code}
          </a>
        )}
      </Cell>
      <Cell isSecondary>
        {apiKeyId ? (
          <Link to={`?key=${apiKeyId}`} className="text-accent underline">
            {keyName ?? "Deleted key"}
          </Link>
        ) : (
          <span className="text-ink-muted">None</span>
        )}
      </Cell>
      <Cell align="end" isSecondary>
        <Count value={tookMs} /> ms
      </Cell>
      <Cell align="end">
        <Ago date={answeredAt} now={now} />
      </Cell>
    </tr>
  );
}
