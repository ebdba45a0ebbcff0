import { Choice } from "./choice";
import { type FieldText, GroupFrame } from "./field-frame";
import type { FieldOption } from "./option";

/** Asks for one of a few values, all of them visible. */
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
