import { Choice } from "./choice";
import { type FieldText, GroupFrame } from "./field-frame";
import type { FieldOption } from "./option";

/** One of a few values, all in sight. */
export function RadioGroup({
  name,
  options,
  defaultValue,
  ...frame
}: FieldText & {
  name: string;
  options: readonly FieldOption[];
  defaultValue?: string | undefined;
}) {
  return (
    <GroupFrame {...frame}>
      {options.map((option) => (
        <Choice
          key={option.value}
          type="radio"
          name={name}
          {...option}
          isChecked={option.value === defaultValue}
        />
      ))}
    </GroupFrame>
  );
}
