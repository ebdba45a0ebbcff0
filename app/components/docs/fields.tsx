import type { Field, Form } from "../../domain/reference/field";

/**
 * Lists fields with their types and meanings; those of an object or list beneath it.
 * @param props.marks whether each field says that it is required or optional
 */
export function Fields({
  fields,
  marks = "optional",
}: {
  fields: readonly Field[];
  marks?: "required" | "optional";
}) {
  return (
    <ul className="divide-y divide-line">
      {fields.map(({ name, type, isRequired, description, fields: inner, forms }) => (
        <li key={name} className="py-3">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <code className="break-all font-mono text-[0.8125rem] font-semibold">{name}</code>
            <span className="min-w-0 text-[0.8125rem] text-ink-muted [overflow-wrap:anywhere]">
              {type}
            </span>
            {isRequired && marks === "required" && (
              <span className="text-xs font-medium text-danger">required</span>
            )}
            {!isRequired && marks === "optional" && (
              <span className="text-xs text-ink-muted">not always present</span>
            )}
          </p>
          {description && <p className="mt-1 text-sm text-ink-muted">{description}.</p>}
          {inner.length > 0 && (
            <div className="mt-2 border-l-2 border-line pl-4">
              <Fields fields={inner} marks={marks} />
            </div>
          )}
          {forms.length > 0 && <Forms forms={forms} />}
        </li>
      ))}
    </ul>
  );
}

/** Lists the forms of a value that has several, each with its fields. */
export function Forms({ forms }: { forms: readonly Form[] }) {
  return (
    <div className="mt-2 space-y-3">
      {forms.map(({ label, fields }) => (
        <div key={label} className="border-l-2 border-line pl-4">
          <p className="pt-1 text-sm font-medium">{label}</p>
          <Fields fields={fields} />
        </div>
      ))}
    </div>
  );
}
