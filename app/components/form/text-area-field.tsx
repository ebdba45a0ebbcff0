import type { TextareaHTMLAttributes } from "react";
import { FieldFrame, type FieldText, getInputClass } from "./field-frame";

interface TextAreaFieldProps
  extends FieldText,
    Pick<
      TextareaHTMLAttributes<HTMLTextAreaElement>,
      "defaultValue" | "maxLength" | "placeholder" | "readOnly" | "rows" | "spellCheck"
    > {
  name: string;
}

/** Shows a field for several lines. */
export function TextAreaField({
  label,
  hint,
  problem,
  isOptional = false,
  isUnmarked = false,
  rows = 4,
  ...area
}: TextAreaFieldProps) {
  return (
    <FieldFrame
      label={label}
      hint={hint}
      problem={problem}
      isOptional={isOptional}
      isUnmarked={isUnmarked}
    >
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          className={`${getInputClass(problem)} py-2 read-only:bg-sunken`}
          {...area}
        />
      )}
    </FieldFrame>
  );
}
