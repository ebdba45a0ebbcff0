import { CsvFields } from "./csv-fields";
import { Form } from "./form";
import type { FormProblems } from "./problems";

/** Uploads a file of addresses and points, or pasted rows. */
export function UploadForm({ problems }: { problems: FormProblems | undefined }) {
  return (
    <Form problems={problems} submitLabel="Upload" encType="multipart/form-data">
      <CsvFields
        problems={problems}
        hint="One row per wallet: address and whole points, separated by comma, semicolon or tab."
        placeholder="0x…,100"
      />
    </Form>
  );
}
