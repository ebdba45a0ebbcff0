import { Link } from "@remix-run/react";
import { TOP_WALLETS } from "../../../domain/insights/program";
import { EmptyState } from "../../ui/empty-state";
import { Count, Day, Share } from "../../ui/local";
import { ProgressBar } from "../../ui/progress";
import { Cell, Table } from "../../ui/table";
import { getSectionPath } from "../shell/sections";

interface Season {
  slug: string;
  name: string;
  startsAt: Date;
  endsAt: Date;
  days: number;
  daysPassed: number;
  wallets: number;
  /** Null while they are counted for the first time. */
  points: number | null;
  /** The part of them that the first wallets have, from 0 to 1. */
  topShare: number | null;
}

const COLUMNS = [
  { label: "Season" },
  { label: "Wallets", align: "end" },
  { label: "Points", align: "end" },
  { label: `Top ${TOP_WALLETS}`, align: "end" },
] as const;

/** Shows how far the seasons are that have begun. */
export function SeasonProgress({
  pointSystemId,
  seasons,
}: {
  pointSystemId: string;
  seasons: readonly Season[];
}) {
  if (seasons.length === 0) {
    return (
      <EmptyState heading="No season has begun">
        <Link to={getSectionPath(pointSystemId, "boards")} className="text-accent underline">
          Plan a season
        </Link>
      </EmptyState>
    );
  }
  return (
    <Table label="Seasons" columns={COLUMNS}>
      {seasons.map((season) => (
        <tr key={season.slug}>
          <Cell>
            <Name pointSystemId={pointSystemId} season={season} />
          </Cell>
          <Cell align="end">
            <Count value={season.wallets} />
          </Cell>
          {season.points === null || season.topShare === null ? (
            <>
              <Cell align="end">Counting…</Cell>
              <Cell align="end">–</Cell>
            </>
          ) : (
            <>
              <Cell align="end">
                <Count value={season.points} />
              </Cell>
              <Cell align="end">
                <Share value={season.topShare} />
              </Cell>
            </>
          )}
        </tr>
      ))}
    </Table>
  );
}

function Name({
  pointSystemId,
  season: { slug, name, startsAt, endsAt, days, daysPassed },
}: {
  pointSystemId: string;
  season: Season;
}) {
  return (
    <>
      <Link
        to={getSectionPath(pointSystemId, `boards/season:${slug}`)}
        className="inline-block min-h-6 break-words font-medium hover:underline"
      >
        {name}
      </Link>
      <ProgressBar label={`Days passed of ${name}`} value={daysPassed} max={days} />
      <div className="mt-1 text-xs text-ink-muted">
        <Count value={daysPassed} /> of <Count value={days} /> {days === 1 ? "day" : "days"} passed,{" "}
        <Day date={startsAt} /> to <Day date={endsAt} />
      </div>
    </>
  );
}
