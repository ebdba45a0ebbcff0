import { CsvFields } from "../../form/csv-fields";
import { Field } from "../../form/field";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { PaidAtField } from "./payout-table";

const MODES = [
  { value: "pay", label: "Mark as paid" },
  { value: "unpay", label: "Remove paid marks", hint: "To undo a wrong file." },
] as const;

/** Marks the wallets of a file, or of pasted rows, as paid. */
export function PayoutFileForm({ problems }: { problems: FormProblems | undefined }) {
  return (
    <Form
      intent="file"
      problems={problems}
      submitLabel="Apply the file"
      encType="multipart/form-data"
    >
      <RadioGroup label="These wallets" {...fieldOf(problems, "mode", "pay")} options={MODES} />
      <CsvFields
        problems={problems}
        hint="One row for each wallet: address, reference, time. If a row is wrong, nothing is marked."
        placeholder="0x…,5VERv8…,2026-03-05T12:00:00Z"
      />
      <Field
        label="Reference for rows without one"
        {...fieldOf(problems, "reference")}
        isOptional
        maxLength={200}
        autoComplete="off"
      />
      <PaidAtField problems={problems} />
    </Form>
  );
}
