import { FieldFrame, type FieldText, getInputClass } from "./field-frame";
import type { FieldOption } from "./option";

interface SelectFieldProps extends FieldText {
  name: string;
  options: readonly FieldOption[];
  defaultValue?: string | undefined;
}

/** Asks for one of many values. */
export function SelectField({
  label,
  hint,
  problem,
  isOptional = false,
  isUnmarked = false,
  options,
  ...select
}: SelectFieldProps) {
  return (
    <FieldFrame
      label={label}
      hint={hint}
      problem={problem}
      isOptional={isOptional}
      isUnmarked={isUnmarked}
    >
      {(control) => (
        <select {...control} className={getInputClass(problem)} {...select}>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}
