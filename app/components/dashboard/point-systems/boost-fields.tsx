import { CheckboxGroup } from "../../form/checkbox-group";
import { Field } from "../../form/field";
import type { FormProblems } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { SelectField } from "../../form/select-field";
import { TextAreaField } from "../../form/text-area-field";

/** The values of a boost's form, as text. */
export interface BoostValues {
  readonly name: string;
  readonly factor: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly timeZone: string;
  /** The triggers that it boosts; null for all. */
  readonly triggerKeys: readonly string[] | null;
  /** The wallets that it boosts; null for every wallet. */
  readonly wallets: readonly string[] | null;
}

const NEW_BOOST: BoostValues = {
  ...{ name: "", factor: "2", startsAt: "", endsAt: "", timeZone: "UTC" },
  ...{ triggerKeys: null, wallets: null },
};

const ON = [
  { value: "all", label: "All triggers", hint: "Those that are created later, too." },
  { value: "chosen", label: "Chosen triggers" },
];
const FOR = [
  { value: "all", label: "Every wallet" },
  { value: "listed", label: "Listed wallets" },
];

/**
 * Shows the fields of a boost. Lists that are not chosen are hidden by style, so that they work without JavaScript.
 * @param props.hasStarted whether its start is fixed
 */
export function BoostFields({
  problems,
  boost = NEW_BOOST,
  hasStarted = false,
  triggers,
  timeZones,
}: {
  problems: FormProblems | undefined;
  boost?: BoostValues;
  hasStarted?: boolean;
  triggers: readonly { key: string; name: string }[];
  timeZones: readonly string[];
}) {
  const { values = {}, fields = {}, lists } = problems ?? {};
  const text = (name: "name" | "factor" | "startsAt" | "endsAt" | "timeZone") => ({
    name,
    defaultValue: values[name] ?? boost[name],
    problem: fields[name],
  });
  return (
    <>
      <Field label="Name" maxLength={100} autoComplete="off" {...text("name")} />
      <Field
        label="Factor"
        inputMode="decimal"
        autoComplete="off"
        hint="1.01 to 100. The result is rounded to whole points, halves upwards."
        {...text("factor")}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        {!hasStarted && (
          <Field
            label="Start"
            type="datetime-local"
            isOptional
            hint={boost.startsAt === "" ? "Leave empty to start now." : undefined}
            {...text("startsAt")}
          />
        )}
        <Field
          label="End"
          type="datetime-local"
          hint="From this time on, credits are not boosted."
          {...text("endsAt")}
        />
        <SelectField
          label="Time zone"
          hint="For the start and the end."
          options={timeZones.map((zone) => ({ value: zone, label: zone }))}
          {...text("timeZone")}
        />
      </div>
      <div className="group/on space-y-5">
        <RadioGroup
          label="Triggers"
          name="on"
          options={ON}
          defaultValue={values.on || (boost.triggerKeys ? "chosen" : "all")}
          problem={fields.on}
        />
        <div className="group-has-[[name=on][value=all]:checked]/on:hidden">
          <CheckboxGroup
            label="Boosted triggers"
            name="triggerKeys"
            options={triggers.map(({ key, name }) => ({ value: key, label: name, hint: key }))}
            defaultValues={lists?.triggerKeys ?? boost.triggerKeys ?? []}
            problem={fields.triggerKeys}
          />
        </div>
      </div>
      <div className="group/for space-y-5">
        <RadioGroup
          label="Wallets"
          name="for"
          options={FOR}
          defaultValue={values.for || (boost.wallets ? "listed" : "all")}
          problem={fields.for}
        />
        <div className="group-has-[[name=for][value=all]:checked]/for:hidden">
          <TextAreaField
            label="Boosted wallets"
            name="wallets"
            rows={6}
            spellCheck={false}
            placeholder="0x…"
            hint="One address per line, up to 1,000."
            defaultValue={values.wallets ?? boost.wallets?.join("\n")}
            problem={fields.wallets}
          />
        </div>
      </div>
    </>
  );
}
