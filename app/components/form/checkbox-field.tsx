import { useId } from "react";
import { Choice } from "./choice";
import { FieldNote, type FieldText } from "./field-frame";

/** A yes or no; posts `value` ("on" as a rule), or nothing. */
export function CheckboxField({
  name,
  value = "on",
  label,
  hint,
  problem,
  isChecked = false,
}: Omit<FieldText, "isOptional"> & { name: string; value?: string; isChecked?: boolean }) {
  const id = useId();
  return (
    <div>
      <Choice
        type="checkbox"
        name={name}
        value={value}
        label={label}
        hint={hint}
        isChecked={isChecked}
        isInvalid={problem !== undefined}
        noteId={problem && id}
      />
      <FieldNote id={id} hint={undefined} problem={problem} />
    </div>
  );
}
