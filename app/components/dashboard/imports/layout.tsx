import { IMPORT_COLUMNS_MAX, type ImportLayout } from "../../../domain/imports/import";
import { Form } from "../../form/form";
import type { FormProblems } from "../../form/problems";
import { SelectField } from "../../form/select-field";

const DELIMITERS = [
  { value: "comma", label: "Comma" },
  { value: "semicolon", label: "Semicolon" },
  { value: "tab", label: "Tab" },
];
const HEADER = [
  { value: "yes", label: "Column names" },
  { value: "no", label: "A wallet" },
];

/** Asks for the layout of a draft's file. The first values are a guess. */
export function ImportLayoutForm({
  layout,
  sample,
  problems,
}: {
  layout: ImportLayout;
  sample: readonly (readonly string[])[];
  problems: FormProblems | undefined;
}) {
  const columns = listColumns(layout, sample);
  const values = problems?.values;
  return (
    <Form
      intent="layout"
      problems={problems}
      submitLabel="Update the preview"
      submitVariant="quiet"
    >
      <div className="grid gap-4 sm:grid-cols-2" key={JSON.stringify(layout)}>
        <SelectField
          label="Column separator"
          name="delimiter"
          options={DELIMITERS}
          defaultValue={values?.delimiter ?? layout.delimiter}
          problem={problems?.fields.delimiter}
        />
        <SelectField
          label="First row"
          name="hasHeader"
          options={HEADER}
          defaultValue={values?.hasHeader ?? (layout.hasHeader ? "yes" : "no")}
          problem={problems?.fields.hasHeader}
        />
        <SelectField
          label="Addresses"
          name="addressColumn"
          options={columns}
          defaultValue={values?.addressColumn ?? String(layout.addressColumn)}
          problem={problems?.fields.addressColumn}
        />
        <SelectField
          label="Points"
          name="pointsColumn"
          options={columns}
          defaultValue={values?.pointsColumn ?? String(layout.pointsColumn)}
          problem={problems?.fields.pointsColumn}
        />
      </div>
    </Form>
  );
}

/** Lists the columns to choose from, each with a sample of its content. */
function listColumns(layout: ImportLayout, sample: readonly (readonly string[])[]) {
  const [first = []] = sample;
  const rows = layout.hasHeader ? sample.slice(1) : sample;
  const count = Math.min(
    Math.max(
      ...sample.map((cells) => cells.length),
      layout.addressColumn + 1,
      layout.pointsColumn + 1,
      2,
    ),
    IMPORT_COLUMNS_MAX,
  );
  return Array.from({ length: count }, (_, column) => {
    const name = (layout.hasHeader && first[column]?.trim()) || `Column ${column + 1}`;
    const values = rows.flatMap((cells) => cells[column]?.trim() || []).slice(0, 2);
    const example = values.map((value) => shorten(value, 14)).join(", ");
    return {
      value: String(column),
      label: example ? `${shorten(name, 30)}: ${example}` : shorten(name, 30),
    };
  });
}

function shorten(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : text;
}
