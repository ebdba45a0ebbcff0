import { FileField } from "../../form/file-field";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { SelectField } from "../../form/select-field";
import { TextAreaField } from "../../form/text-area-field";

/**
 * Adds codes to a tier. Typed codes are never sent back: after a mistake they are pasted again.
 * @param props.tier the tier that is chosen at first
 */
export function GiftCodeForm({
  tiers,
  tier,
  problems,
}: {
  tiers: readonly { label: string; inPool: number }[];
  tier: string | undefined;
  problems: FormProblems | undefined;
}) {
  return (
    <Form problems={problems} submitLabel="Add the codes" encType="multipart/form-data">
      <SelectField
        label="Tier"
        {...fieldOf(problems, "tier", tier)}
        options={tiers.map(({ label }) => ({ value: label, label }))}
      />
      <TextAreaField
        label="Codes"
        name="giftCodes"
        isUnmarked
        rows={8}
        spellCheck={false}
        hint="One code per line, up to 50,000 at once."
        problem={problems?.fields.giftCodes}
      />
      <FileField
        label="Or a file"
        name="giftCodesFile"
        isUnmarked
        accept=".csv,.txt,text/csv,text/plain"
        hint="Text or CSV with one column, UTF-8, up to 10 MiB."
        problem={problems?.fields.giftCodesFile}
      />
      {problems && (
        <p className="text-sm text-ink-muted">
          Codes are not sent back to this page. Paste them or choose the file again.
        </p>
      )}
    </Form>
  );
}
