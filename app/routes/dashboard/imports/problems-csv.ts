import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { ROW_PROBLEMS } from "../../../domain/imports/import-row";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { exportProblemRows } from "../../../services/imports/preview";

const HEADER = ["row", "error", "address", "points"] as const;

/** Answers the rows that a draft would leave out, as a CSV file. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("imports/:importId/problems.csv"));
  const rows = await exportProblemRows(member, args.params.importId ?? "");
  return streamCsv("import-errors.csv", HEADER, toRows(rows), args.context);
});

async function* toRows(rows: Awaited<ReturnType<typeof exportProblemRows>>) {
  for await (const { line, problem, address, points } of rows) {
    yield [line, ROW_PROBLEMS[problem], address, points];
  }
}
