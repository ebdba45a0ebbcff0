import { useRef } from "react";

interface Row {
  readonly address: string;
  readonly points: number;
  readonly events: number;
}

/**
 * Returns the wallets whose row changed since the last read of the same page.
 * @param page tells pages apart: a page that was just opened has not changed
 */
export function useChangedRows(rows: readonly Row[], page: string): ReadonlySet<string> {
  const seen = useRef({ page, rows, changed: new Set<string>() });
  if (seen.current.rows !== rows) {
    const isSamePage = seen.current.page === page;
    const before = new Map(seen.current.rows.map((row) => [row.address, row]));
    const changed = rows.filter(({ address, points, events }) => {
      const row = before.get(address);
      return row?.points !== points || row.events !== events;
    });
    const addresses = isSamePage ? changed.map(({ address }) => address) : [];
    seen.current = { page, rows, changed: new Set(addresses) };
  }
  return seen.current.changed;
}
