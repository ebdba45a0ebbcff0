import { Choice } from "./choice";
import { type FieldText, GroupFrame } from "./field-frame";
import type { FieldOption } from "./option";

/** Asks for any number of values, which are posted under one name. */
export function CheckboxGroup({
  name,
  options,
  defaultValues = [],
  ...frame
}: FieldText & {
  name: string;
  options: readonly FieldOption[];
  defaultValues?: readonly string[] | undefined;
}) {
  return (
    <GroupFrame {...frame}>
      {options.map((option) => (
        <Choice
          key={option.value}
          type="checkbox"
          name={name}
          {...option}
          isChecked={defaultValues.includes(option.value)}
        />
      ))}
    </GroupFrame>
  );
}
