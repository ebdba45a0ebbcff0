import { FileField } from "../form/file-field";
import { Form } from "../form/form";
import type { FormProblems } from "../form/problems";
import { TextAreaField } from "../form/text-area-field";

/** Uploads a file of addresses and points, or pasted rows. */
export function UploadForm({ problems }: { problems: FormProblems | undefined }) {
  return (
    <Form problems={problems} submitLabel="Upload" encType="multipart/form-data" isWide={false}>
      <FileField
        label="CSV file"
        name="file"
        isOptional
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        hint="UTF-8, up to 10 MiB. One row per wallet: address and whole points, separated by comma, semicolon or tab."
        problem={problems?.fields.file}
      />
      <TextAreaField
        label="Or paste rows"
        name="text"
        isOptional
        rows={4}
        spellCheck={false}
        placeholder={"0x…,100"}
        defaultValue={problems?.values.text}
        problem={problems?.fields.text}
      />
    </Form>
  );
}
