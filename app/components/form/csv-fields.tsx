import { FileField } from "./file-field";
import { type FormProblems, fieldOf } from "./problems";
import { TextAreaField } from "./text-area-field";

/** Takes rows as a CSV file, or pasted. */
export function CsvFields({
  problems,
  hint,
  placeholder,
}: {
  problems: FormProblems | undefined;
  /** The columns of a row. */
  hint: string;
  placeholder: string;
}) {
  return (
    <>
      <FileField
        label="CSV file"
        name="file"
        isUnmarked
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        hint={`UTF-8, up to 10 MiB. ${hint}`}
        problem={problems?.fields.file}
      />
      <TextAreaField
        label="Or paste rows"
        {...fieldOf(problems, "text")}
        isUnmarked
        rows={4}
        spellCheck={false}
        placeholder={placeholder}
      />
    </>
  );
}
