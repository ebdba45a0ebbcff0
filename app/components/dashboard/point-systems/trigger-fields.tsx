import { Field } from "../../form/field";
import type { FormProblems } from "../../form/problems";

/** Shows a field for a number of points, with its hint. */
export function TriggerPointsField({
  problems,
  points,
}: {
  problems: FormProblems | undefined;
  points?: number;
}) {
  return (
    <Field
      label="Points"
      name="points"
      inputMode="numeric"
      autoComplete="off"
      hint="For each call: 1 to 1,000,000,000."
      defaultValue={problems?.values.points ?? points?.toString()}
      problem={problems?.fields.points}
    />
  );
}

/** Shows the fields of a trigger that can be changed. */
export function TriggerFields({
  problems,
  name,
  points,
}: {
  problems: FormProblems | undefined;
  name: string;
  points: number;
}) {
  return (
    <>
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        maxLength={100}
        defaultValue={problems?.values.name ?? name}
        problem={problems?.fields.name}
      />
      <TriggerPointsField problems={problems} points={points} />
    </>
  );
}
