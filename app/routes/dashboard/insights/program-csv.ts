import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import {
  listFigures,
  TOP_WALLETS,
  WEEK_FIGURES,
  type WeekFigure,
} from "../../../domain/insights/program";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listSeasons, listTierHolders, listWeeks } from "../../../services/insights/program";
import { readProgramQuery } from "./program.inputs.server";

interface Sheet {
  readonly name: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** Answers the figure that `?figure=` names as a CSV file, or all figures of the weeks. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const { pointSystemId } = await requireMember(args, mayRead("program.csv"));
  const { weeks, figure } = readProgramQuery(args.request);
  const sheet = await readSheet(pointSystemId, weeks, figure);
  return streamCsv(`${sheet.name}.csv`, sheet.header, toRows(sheet), args.context);
});

async function readSheet(
  pointSystemId: string,
  weeks: number,
  figure: WeekFigure | "tiers" | "seasons" | undefined,
): Promise<Sheet> {
  if (figure === "tiers") {
    const holders = await listTierHolders(pointSystemId);
    return {
      name: "holders-by-tier",
      header: ["tier", "least points", "wallets"],
      rows: holders.map(({ tier, wallets }) => [
        tier?.name ?? "No tier yet",
        tier?.pointsMin ?? null,
        wallets,
      ]),
    };
  }
  if (figure === "seasons") return readSeasons(pointSystemId);
  const figures = figure ? [figure] : listFigures();
  const rows = await listWeeks(pointSystemId, weeks);
  return {
    name: figure ? toFileName(WEEK_FIGURES[figure]) : "program",
    header: ["week", ...figures.map((each) => WEEK_FIGURES[each].toLowerCase())],
    rows: rows.map((row) => [row.week, ...figures.map((each) => row[each])]),
  };
}

async function readSeasons(pointSystemId: string): Promise<Sheet> {
  const share = `share of the top ${TOP_WALLETS}`;
  const seasons = await listSeasons(pointSystemId);
  return {
    name: "seasons",
    header: ["season", "name", "starts", "ends", "days", "days passed", "wallets", "points", share],
    rows: seasons.map((season) => [
      season.slug,
      season.name,
      season.startsAt.toISOString(),
      season.endsAt.toISOString(),
      season.days,
      season.daysPassed,
      season.wallets,
      season.points,
      season.topShare,
    ]),
  };
}

const toFileName = (label: string) => label.toLowerCase().replaceAll(" ", "-");

async function* toRows({ rows }: Sheet) {
  yield* rows;
}
