import { Field } from "../../form/field";
import type { FormProblems } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { SelectField } from "../../form/select-field";

/** The values of a board's form, as text. */
export interface BoardValues {
  readonly name: string;
  readonly isPublic: boolean;
  readonly startsAt: string;
  readonly endsAt: string;
}

const KINDS = [
  { value: "weekly", label: "Weekly", hint: "A new board from each Monday on." },
  { value: "daily", label: "Daily", hint: "A new board from each midnight on." },
  { value: "monthly", label: "Monthly", hint: "A new board from the first of each month on." },
  { value: "season", label: "Season", hint: "One board with a start and an end." },
];

/** Shows the fields of a new board. */
export function NewBoardFields({
  problems,
  timeZones,
}: {
  problems: FormProblems | undefined;
  timeZones: readonly string[];
}) {
  const { values = {}, fields = {} } = problems ?? {};
  return (
    <>
      <RadioGroup
        label="Kind"
        name="kind"
        options={KINDS}
        defaultValue={values.kind ?? "weekly"}
        problem={fields.kind}
      />
      <NameFields problems={problems} name="" isPublic />
      <SelectField
        label="Time zone"
        name="timeZone"
        hint="The board starts and ends at midnight in this zone. It cannot be changed later."
        options={timeZones.map((zone) => ({ value: zone, label: zone }))}
        defaultValue={values.timeZone ?? "UTC"}
        problem={fields.timeZone}
      />
      <Field
        label="Season name in API calls"
        name="slug"
        isOptional
        hint="For seasons only. spring is read with board=season:spring."
        defaultValue={values.slug ?? ""}
        problem={fields.slug}
      />
      <SeasonFields problems={problems} startsAt="" endsAt="" isOptional />
    </>
  );
}

/** Shows a board's name and who sees it. */
export function NameFields({
  problems,
  name,
  isPublic,
}: Pick<BoardValues, "name" | "isPublic"> & { problems: FormProblems | undefined }) {
  const { values = {}, fields = {} } = problems ?? {};
  return (
    <>
      <Field
        label="Name"
        name="name"
        defaultValue={values.name ?? name}
        problem={fields.name}
        maxLength={100}
      />
      <RadioGroup
        label="Public leaderboard"
        name="isPublic"
        options={[
          { value: "yes", label: "Show it as a tab" },
          { value: "no", label: "Do not show it" },
        ]}
        defaultValue={values.isPublic ?? (isPublic ? "yes" : "no")}
        problem={fields.isPublic}
      />
    </>
  );
}

/** Shows the start and the end of a season, in the board's time zone. */
export function SeasonFields({
  problems,
  startsAt,
  endsAt,
  isOptional = false,
}: Pick<BoardValues, "startsAt" | "endsAt"> & {
  problems: FormProblems | undefined;
  isOptional?: boolean;
}) {
  const { values = {}, fields = {} } = problems ?? {};
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field
        label="Start of the season"
        name="startsAt"
        type="datetime-local"
        isOptional={isOptional}
        hint="Events from this time on count, including past ones."
        defaultValue={values.startsAt ?? startsAt}
        problem={fields.startsAt}
      />
      <Field
        label="End of the season"
        name="endsAt"
        type="datetime-local"
        isOptional={isOptional}
        hint="After this time, the board no longer changes."
        defaultValue={values.endsAt ?? endsAt}
        problem={fields.endsAt}
      />
    </div>
  );
}
