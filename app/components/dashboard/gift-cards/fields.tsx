import { useState } from "react";
import { Field } from "../../form/field";
import { GroupFrame, getInputClass } from "../../form/field-frame";
import type { FieldOption } from "../../form/option";
import { type FormProblems, fieldOf } from "../../form/problems";
import { useIsHydrated } from "../../hooks/use-is-hydrated";
import { Button } from "../../ui/button";
import { PointsCountedField } from "../rewards/points-counted";

interface Tier {
  label: string;
  minPoints: number | null;
}

const ROWS_AT_FIRST = 3;
const ROWS_MAX = 20;

/** Shows the fields of a gift card reward: its name, its points, and a row for each tier. */
export function GiftCardFields({
  name = "",
  tiers = [],
  points,
  pointsCounted = "",
  problems,
}: {
  name?: string;
  tiers?: readonly Tier[];
  points: readonly FieldOption[];
  pointsCounted?: string;
  problems: FormProblems | undefined;
}) {
  return (
    <>
      <Field
        label="Name"
        {...fieldOf(problems, "name", name)}
        maxLength={100}
        hint="Shown to holders on the claim page"
      />
      <PointsCountedField options={points} chosen={pointsCounted} problems={problems} />
      <TierRows
        rows={
          problems
            ? toRows(problems.lists.labels ?? [], problems.lists.thresholds ?? [])
            : tiers.map(({ label, minPoints }) => [label, String(minPoints ?? "")])
        }
        problem={problems?.fields.labels}
      />
    </>
  );
}

function toRows(labels: readonly string[], thresholds: readonly string[]): [string, string][] {
  return labels
    .map((label, i): [string, string] => [label, thresholds[i] ?? ""])
    .filter(([label, points]) => label.trim() !== "" || points.trim() !== "");
}

function TierRows({
  rows,
  problem,
}: {
  rows: readonly (readonly string[])[];
  problem: string | undefined;
}) {
  // Without JavaScript there is one empty row, and after saving the next one.
  const [count, setCount] = useState(Math.min(ROWS_MAX, Math.max(ROWS_AT_FIRST, rows.length + 1)));
  const canAdd = useIsHydrated() && count < ROWS_MAX;
  return (
    <GroupFrame
      label="Tiers"
      hint="Each wallet gets one card of the highest tier it reaches. Empty rows are ignored."
      problem={problem}
    >
      <div aria-hidden="true" className="grid grid-cols-[minmax(0,1fr)_8.5rem] gap-2 text-xs">
        <span className="text-ink-muted">Name</span>
        <span className="text-ink-muted">From points</span>
      </div>
      <div className="space-y-2">
        {Array.from({ length: count }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are added at the end only
          <div key={i} className="grid grid-cols-[minmax(0,1fr)_8.5rem] gap-2">
            <input
              name="labels"
              aria-label={`Name of tier ${i + 1}`}
              autoComplete="off"
              maxLength={100}
              placeholder={PLACEHOLDERS[i]}
              defaultValue={rows[i]?.[0]}
              className={getInputClass(problem)}
            />
            <input
              name="thresholds"
              aria-label={`Points of tier ${i + 1}`}
              autoComplete="off"
              inputMode="numeric"
              maxLength={16}
              defaultValue={rows[i]?.[1]}
              className={`${getInputClass(problem)} tabular-nums`}
            />
          </div>
        ))}
      </div>
      {canAdd && (
        <div className="pt-1">
          <Button variant="quiet" size="small" onClick={() => setCount(count + 1)}>
            Add a tier
          </Button>
        </div>
      )}
    </GroupFrame>
  );
}

const PLACEHOLDERS = ["Gold", "Silver", "Bronze"];
