import { Field } from "./field";
import type { FormProblems } from "./problems";

/** Shows the optional field of an operator's note on a change. */
export function NoteField({
  hint = "Only operators see it",
  problems,
}: {
  hint?: string;
  problems: FormProblems | undefined;
}) {
  return (
    <Field
      label="Note"
      name="note"
      isOptional
      maxLength={500}
      autoComplete="off"
      hint={hint}
      defaultValue={problems?.values.note}
      problem={problems?.fields.note}
    />
  );
}
