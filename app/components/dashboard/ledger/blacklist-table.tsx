import { Form } from "@remix-run/react";
import { type ReactNode, useRef } from "react";
import { useIsHydrated } from "../../hooks/use-is-hydrated";
import { Address } from "../../ui/address";
import { Button } from "../../ui/button";
import { type DataColumn, DataTable } from "../../ui/data-table";
import { Ago, Count } from "../../ui/local";

interface Entry {
  address: string;
  reason: string | null;
  date: Date;
  points: number;
}

const SELECTION = "remove-selected";

/** Lists blacklisted addresses, with a form that takes them off the list. */
export function BlacklistTable({
  entries,
  pointSystemId,
  canRemove,
  readAt,
  emptyState,
}: {
  entries: readonly Entry[];
  pointSystemId: string;
  canRemove: boolean;
  /** When the addresses were read, in milliseconds since 1970. */
  readAt: number;
  emptyState: ReactNode;
}) {
  const columns: DataColumn<Entry>[] = [
    {
      label: "Wallet",
      cell: ({ address, date, reason }) => (
        <>
          <Address address={address} to={`/dashboard/${pointSystemId}/wallets/${address}`} />
          <div className="text-xs text-ink-muted">
            <Ago date={date} now={readAt} />
          </div>
          {/* On a narrow screen it replaces the column. */}
          {reason && <div className="break-words sm:hidden">{reason}</div>}
        </>
      ),
    },
    {
      label: "Reason",
      isFlexible: true,
      isSecondary: true,
      cell: ({ reason }) => (
        <div className="whitespace-normal break-words">
          {reason ?? <span className="text-ink-muted">None</span>}
        </div>
      ),
    },
    {
      label: "Points",
      align: "end",
      isSecondary: true,
      cell: ({ points }) => <Count value={points} />,
    },
  ];
  if (canRemove) {
    columns.unshift({ label: "Select", cell: ({ address }) => <Selector address={address} /> });
    columns.push({
      label: "Action",
      align: "end",
      cell: ({ address }) => <RemoveForm address={address} />,
    });
  }
  return (
    <>
      <DataTable
        label="Blacklist"
        columns={columns}
        rows={entries}
        getRowId={({ address }) => address}
        emptyState={emptyState}
      />
      {canRemove && entries.length > 1 && <SelectionForm />}
    </>
  );
}

function Selector({ address }: { address: string }) {
  return (
    <input
      type="checkbox"
      form={SELECTION}
      name="addresses"
      value={address}
      aria-label={`Select ${address}`}
      className="block size-6 accent-[rgb(var(--color-accent))]"
    />
  );
}

function RemoveForm({ address }: { address: string }) {
  return (
    <Form method="post">
      <input type="hidden" name="addresses" value={address} />
      <Button
        type="submit"
        variant="quiet"
        size="small"
        name="intent"
        value="remove"
        aria-label={`Remove ${address}`}
      >
        Remove
      </Button>
    </Form>
  );
}

/** Renders the form that the boxes of the table's rows belong to. */
function SelectionForm() {
  const form = useRef<HTMLFormElement>(null);
  const isHydrated = useIsHydrated();
  const selectAll = () => {
    for (const control of form.current?.elements ?? []) {
      if (control instanceof HTMLInputElement && control.type === "checkbox") {
        control.checked = true;
      }
    }
  };
  return (
    <Form
      ref={form}
      id={SELECTION}
      method="post"
      className="flex flex-wrap gap-2 border-t border-line px-4 py-3 sm:px-5"
    >
      {isHydrated && (
        <Button variant="quiet" size="small" onClick={selectAll}>
          Select all shown
        </Button>
      )}
      <Button type="submit" variant="quiet" size="small" name="intent" value="remove">
        Remove selected
      </Button>
    </Form>
  );
}
