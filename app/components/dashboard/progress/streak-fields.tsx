import { BONUSES_MAX, type StreakBonus } from "../../../domain/progress/streak";
import { CheckboxGroup } from "../../form/checkbox-group";
import { Field } from "../../form/field";
import { GroupFrame, getInputClass } from "../../form/field-frame";
import { type FormProblems, fieldOf } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { SelectField } from "../../form/select-field";
import { countRows, RowHeads, RowInput, Rows } from "./row-inputs";

interface TriggerOption {
  readonly key: string;
  readonly name: string;
  readonly points: number;
}

const GRID = "grid grid-cols-[minmax(0,6rem)_minmax(0,1fr)] gap-2";

/** Shows the fields of a new streak. */
export function NewStreakFields({
  problems,
  triggers,
  timeZones,
}: {
  problems: FormProblems | undefined;
  triggers: readonly TriggerOption[];
  timeZones: readonly string[];
}) {
  const { values = {}, fields = {}, lists = {} } = problems ?? {};
  return (
    <>
      <NameField problems={problems} name="" />
      <Field
        label="Key"
        name="key"
        autoComplete="off"
        spellCheck={false}
        hint="Names it in answers of the API. It cannot be changed later."
        defaultValue={values.key ?? ""}
        problem={fields.key}
      />
      <div className="group/counts space-y-5">
        <RadioGroup
          label="A day counts with"
          name="counts"
          options={[
            { value: "all", label: "A credit of any trigger" },
            { value: "chosen", label: "A credit of chosen triggers" },
          ]}
          defaultValue={values.counts || "all"}
          problem={fields.counts}
        />
        <div className="group-has-[[value=all]:checked]/counts:hidden">
          <CheckboxGroup
            label="Triggers"
            name="triggerKeys"
            options={triggers.map(({ key, name }) => ({ value: key, label: name }))}
            defaultValues={lists.triggerKeys}
            problem={fields.triggerKeys}
          />
        </div>
      </div>
      <SelectField
        label="Time zone"
        name="timeZone"
        hint="Days start and end at midnight in this zone. It cannot be changed later."
        options={timeZones.map((zone) => ({ value: zone, label: zone }))}
        defaultValue={values.timeZone || "UTC"}
        problem={fields.timeZone}
      />
      <BonusFields problems={problems} bonuses={[]} triggers={triggers} />
    </>
  );
}

/** Shows the fields of a streak that can be changed. */
export function StreakFields({
  problems,
  name,
  bonuses,
  triggers,
}: {
  problems: FormProblems | undefined;
  name: string;
  bonuses: readonly StreakBonus[];
  triggers: readonly TriggerOption[];
}) {
  return (
    <>
      <NameField problems={problems} name={name} />
      <BonusFields problems={problems} bonuses={bonuses} triggers={triggers} />
    </>
  );
}

function NameField({ problems, name }: { problems: FormProblems | undefined; name: string }) {
  return (
    <Field label="Name" {...fieldOf(problems, "name", name)} autoComplete="off" maxLength={100} />
  );
}

function BonusFields({
  problems,
  bonuses,
  triggers,
}: {
  problems: FormProblems | undefined;
  bonuses: readonly StreakBonus[];
  triggers: readonly TriggerOption[];
}) {
  const lists = problems?.lists;
  const days = lists?.bonusDays ?? bonuses.map((bonus) => String(bonus.days));
  const keys = lists?.bonusTriggers ?? bonuses.map(({ triggerKey }) => triggerKey);
  return (
    <GroupFrame
      label="Bonuses"
      isOptional
      hint="The trigger’s points are credited once, when the days in a row reach the length."
      problem={problems?.fields.bonusDays ?? problems?.fields.bonuses}
    >
      <RowHeads className={GRID} labels={["Days in a row", "Trigger"]} />
      <Rows
        count={countRows(bonuses.length, BONUSES_MAX)}
        row={(i) => (
          <div key={i} className={GRID}>
            <RowInput
              label={`Days of bonus ${i + 1}`}
              name="bonusDays"
              inputMode="numeric"
              defaultValue={days[i] ?? ""}
            />
            <select
              aria-label={`Trigger of bonus ${i + 1}`}
              name="bonusTriggers"
              className={getInputClass(undefined)}
              defaultValue={keys[i] ?? ""}
            >
              <option value="">Choose a trigger</option>
              {triggers.map(({ key, name, points }) => (
                <option key={key} value={key}>
                  {name} ({points})
                </option>
              ))}
            </select>
          </div>
        )}
      />
    </GroupFrame>
  );
}
