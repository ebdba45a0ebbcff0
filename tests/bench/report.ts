import { writeFileSync } from "node:fs";

/** A measured figure. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The bar that `value` must reach or must not exceed; null without a promise. */
  readonly bar: number | null;
  /** Whether the bar is the least or the most that the value may be; the least by default. */
  readonly limit?: "most";
  /** Whether the value meets its bar; null without one. */
  readonly holds: boolean | null;
}

/** Significant digits of a value in the table; the file has more. */
const SHOWN_DIGITS = 3;
const KEPT_DIGITS = 5;

/**
 * Creates a figure without a bar, or with one that it must reach.
 * @example createRow("credits over the empty endpoint, 256 connections", 0.46, "ratio", 0.4)
 */
export function createRow(
  name: string,
  value: number,
  unit: string,
  bar: number | null = null,
): Row {
  const kept = Number(value.toPrecision(KEPT_DIGITS));
  return { name, value: kept, unit, bar, holds: bar === null ? null : value >= bar };
}

/**
 * Creates a figure with the most that it may be.
 * @example createCeilingRow("claim, new holder", 68_806, 68_900)
 */
export function createCeilingRow(name: string, value: number, bar: number, unit = "gas"): Row {
  return { name, value, unit, bar, limit: "most", holds: value <= bar };
}

/** Writes the rows to a file as JSON, one on each line. */
export function saveRows(file: string, rows: readonly Row[]): void {
  writeFileSync(file, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`);
}

/** Formats the rows as a table, which is also valid Markdown. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [
    ["name", "value", "unit", "bar", "holds"],
    ...rows.map(({ name, value, unit, bar, limit, holds }) => [
      name,
      unit === "gas" ? value.toLocaleString("en") : formatNumber(value),
      unit,
      bar === null ? "" : `${limit === "most" ? "<=" : ">="} ${bar}`,
      holds === null ? "" : holds ? "yes" : "NO",
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const [header = "", ...body] = lines.map((line) => {
    const cells = line.map((cell, column) =>
      column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    return `| ${cells.join(" | ")} |`;
  });
  const rule = widths.map((width, i) =>
    i === 1 ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return [header, `| ${rule.join(" | ")} |`, ...body].join("\n");
}

function formatNumber(value: number): string {
  if (value >= 10 ** SHOWN_DIGITS) {
    return Number(value.toPrecision(SHOWN_DIGITS)).toLocaleString("en");
  }
  return String(Number(value.toPrecision(SHOWN_DIGITS)));
}
