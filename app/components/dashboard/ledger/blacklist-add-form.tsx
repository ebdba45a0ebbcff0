import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { TextAreaField } from "../../form/text-area-field";

/** Adds pasted addresses to the blacklist. */
export function BlacklistAddForm({ problems }: { problems: FormProblems | undefined }) {
  return (
    <Form intent="add" problems={problems} submitLabel="Add to the blacklist">
      <TextAreaField
        // The lines that were not accepted replace the pasted text.
        key={problems?.values.lines}
        label="Addresses"
        {...fieldOf(problems, "lines")}
        rows={6}
        spellCheck={false}
        placeholder="0x…, reason"
        hint="One per line, up to 10,000. Add a reason after a comma, a semicolon or a space."
      />
      <Field
        label="Reason for all"
        {...fieldOf(problems, "reason")}
        isOptional
        maxLength={500}
        autoComplete="off"
        hint="For addresses without their own reason. Only operators see it."
      />
    </Form>
  );
}
