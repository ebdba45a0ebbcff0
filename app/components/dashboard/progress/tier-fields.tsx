import { TIER_NAME_LENGTH_MAX, TIERS_MAX, type Tier } from "../../../domain/progress/tier";
import { GroupFrame } from "../../form/field-frame";
import type { FormProblems } from "../../form/problems";
import { countRows, RowHeads, RowInput, Rows } from "./row-inputs";

const GRID = "grid grid-cols-[minmax(0,1fr)_minmax(0,8rem)_3.5rem] gap-2";
const NEW_COLOR = "#8a8f98";

/** Shows a row for each tier, and empty rows for more. A row that is emptied is removed. */
export function TierFields({
  tiers,
  problems,
}: {
  tiers: readonly Tier[];
  problems: FormProblems | undefined;
}) {
  const lists = problems?.lists;
  const names = lists?.tierNames ?? tiers.map(({ name }) => name);
  const points = lists?.tierPoints ?? tiers.map(({ pointsMin }) => String(pointsMin));
  const colors = lists?.tierColors ?? tiers.map(({ color }) => color);
  return (
    <GroupFrame
      label="Tiers"
      hint="Empty a row to remove its tier."
      problem={problems?.fields.tierNames ?? problems?.fields.tierPoints}
    >
      <RowHeads className={GRID} labels={["Name", "Least points", "Colour"]} />
      <Rows
        count={countRows(tiers.length, TIERS_MAX)}
        row={(i) => (
          <div key={i} className={GRID}>
            <RowInput
              label={`Name of tier ${i + 1}`}
              name="tierNames"
              maxLength={TIER_NAME_LENGTH_MAX}
              defaultValue={names[i] ?? ""}
            />
            <RowInput
              label={`Least points of tier ${i + 1}`}
              name="tierPoints"
              inputMode="numeric"
              defaultValue={points[i] ?? ""}
            />
            <RowInput
              label={`Colour of tier ${i + 1}`}
              name="tierColors"
              type="color"
              className="px-1 py-1"
              defaultValue={colors[i] ?? NEW_COLOR}
            />
          </div>
        )}
      />
    </GroupFrame>
  );
}
