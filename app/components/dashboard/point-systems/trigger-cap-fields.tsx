import type { TriggerCap } from "../../../domain/point-systems/trigger-cap";
import { Field } from "../../form/field";
import type { FormProblems } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { SelectField } from "../../form/select-field";

const CHOICES = [
  { value: "no", label: "No cap", hint: "A wallet can earn any number of times." },
  { value: "yes", label: "Capped", hint: "A wallet can earn only so often, or so many points." },
];

const WINDOWS = [
  { value: "daily", label: "Per day" },
  { value: "weekly", label: "Per week, from Monday" },
  { value: "monthly", label: "Per month" },
  { value: "ever", label: "Ever" },
];

/**
 * Shows the fields of a trigger's cap. Without a cap they are hidden by style, so that they work without JavaScript.
 */
export function TriggerCapFields({
  problems,
  cap = null,
  timeZones,
}: {
  problems: FormProblems | undefined;
  cap?: TriggerCap | null;
  timeZones: readonly string[];
}) {
  const { values = {}, fields = {} } = problems ?? {};
  const limit = (name: "capTimes" | "capPoints", value: number | null | undefined) => ({
    name,
    inputMode: "numeric" as const,
    autoComplete: "off",
    defaultValue: values[name] ?? value?.toString(),
    problem: fields[name],
  });
  return (
    <div className="group/cap space-y-5">
      <RadioGroup
        label="Cap for each wallet"
        name="hasCap"
        options={CHOICES}
        defaultValue={values.hasCap || (cap ? "yes" : "no")}
        problem={fields.hasCap}
      />
      <div className="grid gap-5 group-has-[[value=no]:checked]/cap:hidden sm:grid-cols-2">
        <Field
          label="At most this many times"
          hint="Empty for any number."
          {...limit("capTimes", cap?.times)}
        />
        <Field
          label="At most this many points"
          hint="Empty for any number."
          {...limit("capPoints", cap?.points)}
        />
        <SelectField
          label="Time span"
          name="capWindow"
          options={WINDOWS}
          defaultValue={values.capWindow || cap?.window || "daily"}
          problem={fields.capWindow}
        />
        <SelectField
          label="Time zone"
          name="capTimeZone"
          hint="The time span starts and ends at midnight in this zone."
          options={timeZones.map((zone) => ({ value: zone, label: zone }))}
          defaultValue={values.capTimeZone || cap?.timeZone || "UTC"}
          problem={fields.capTimeZone}
        />
      </div>
    </div>
  );
}
