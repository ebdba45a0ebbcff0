import type { ReactNode } from "react";
import { Badge } from "../../ui/badge";
import { Card } from "../../ui/card";
import { Ago, Count } from "../../ui/local";

interface Score {
  finalScore: number;
  breakdown: {
    age_factor: number;
    activity_factor: number;
    wallet_age_days: number | null;
    total_txs: number;
    chains_active: number;
    last_tx_days_ago: number | null;
  };
  bonuses: { ens: number; multichain: number; rewards: number };
  penalties: { recency: number; humanity: number; bot: number };
  dataSources: {
    explorer: boolean;
    rewards: boolean;
    missingChains?: readonly number[] | undefined;
  };
}

interface Line {
  label: string;
  text: ReactNode;
  points: number;
}

/** Explains a score in words: each part that raised or lowered it, and by how much. */
export function ScoreBreakdown({
  score,
  isComplete,
  computedAt,
  readAt,
}: {
  score: Score;
  isComplete: boolean;
  computedAt: Date;
  readAt: number;
}) {
  const { finalScore, dataSources } = score;
  const lines = listLines(score);
  const sum = lines.reduce((total, { points }) => total + points, 0);
  return (
    <div className="grid gap-6">
      <div className="rounded-xl border border-line bg-raised px-4 py-4 shadow-sm sm:px-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <p className="text-3xl font-semibold tabular-nums">
            {finalScore} <span className="text-base font-normal text-ink-muted">of 100</span>
          </p>
          {!isComplete && <Badge tone="accent">Lower bound</Badge>}
        </div>
        <p className="mt-1 text-sm text-ink-muted">
          Computed <Ago date={computedAt} now={readAt} />.
          {(!dataSources.explorer || dataSources.missingChains) &&
            " Some chains could not be read, so it may be higher."}
          {!dataSources.rewards &&
            " Rewards and blacklists were not available and are not counted."}
        </p>
      </div>
      <Card heading="Raised by">
        <Lines lines={lines.filter(({ points }) => points > 0)} none="Nothing." />
      </Card>
      <Card heading="Lowered by">
        <Lines lines={lines.filter(({ points }) => points < 0)} none="Nothing." />
      </Card>
      {(sum < 0 || sum > 100) && (
        <p className="text-sm text-ink-muted">
          The sum is {format(sum)}. A score is always between 0 and 100.
        </p>
      )}
    </div>
  );
}

function listLines({ breakdown, bonuses, penalties }: Score): Line[] {
  const { age_factor: age, activity_factor: activity } = breakdown;
  return [
    {
      label: "Age and activity",
      text: (
        <>
          {breakdown.wallet_age_days === null ? (
            "No first transaction is known"
          ) : (
            <>
              Its first transaction was <Count value={breakdown.wallet_age_days} /> days ago (
              {inPercent(age)} of four years)
            </>
          )}
          , and it sent <Count value={breakdown.total_txs} /> on {breakdown.chains_active}{" "}
          {breakdown.chains_active === 1 ? "chain" : "chains"} ({inPercent(activity)} of 2,000). The
          two are multiplied.
        </>
      ),
      points: age * activity * 100,
    },
    {
      label: "Primary name",
      text: "It has a primary name on Ethereum or Base.",
      points: bonuses.ens,
    },
    {
      label: "Several chains",
      text: "It is active on three chains or more.",
      points: bonuses.multichain,
    },
    {
      label: "Rewards",
      text: "It takes part in campaigns here and claims. The bonus depends on its place among all such wallets.",
      points: bonuses.rewards,
    },
    {
      label: "Inactive",
      text:
        breakdown.last_tx_days_ago === null ? (
          "It never sent a transaction."
        ) : (
          <>
            Its last transaction was <Count value={breakdown.last_tx_days_ago} /> days ago, more
            than 180.
          </>
        ),
      points: penalties.recency,
    },
    {
      label: "Automated timing",
      text: "It sends at times unusual for people: evenly, at all hours, on the minute or in bursts.",
      points: -penalties.humanity,
    },
    {
      label: "Blacklists",
      text: "Independent operators have blacklisted it.",
      points: -penalties.bot,
    },
  ];
}

function Lines({ lines, none }: { lines: readonly Line[]; none: string }) {
  if (lines.length === 0) {
    return <p className="px-4 py-4 text-sm text-ink-muted sm:px-5">{none}</p>;
  }
  return (
    <ul className="divide-y divide-line">
      {lines.map(({ label, text, points }) => (
        <li
          key={label}
          className="flex items-start justify-between gap-4 px-4 py-3 text-sm sm:px-5"
        >
          <div className="min-w-0">
            <p className="font-medium">{label}</p>
            <p className="text-ink-muted">{text}</p>
          </div>
          <p className="whitespace-nowrap font-medium tabular-nums">{format(points)}</p>
        </li>
      ))}
    </ul>
  );
}

function inPercent(factor: number): string {
  return `${Number((factor * 100).toFixed(2))}\u00a0%`;
}

function format(points: number): string {
  const rounded = Number(Math.abs(points).toFixed(2));
  return `${points < 0 ? "−" : "+"}${rounded}`;
}
