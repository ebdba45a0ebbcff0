import { Field } from "./field";
import { type FormProblems, fieldOf } from "./problems";

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
      {...fieldOf(problems, "note")}
      isOptional
      maxLength={500}
      autoComplete="off"
      hint={hint}
    />
  );
}
