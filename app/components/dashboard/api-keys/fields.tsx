import { CheckboxGroup } from "../../form/checkbox-group";
import { Field } from "../../form/field";
import { type FormProblems, fieldOf } from "../../form/problems";
import { RadioGroup } from "../../form/radio-group";
import { PERMISSION_OPTIONS } from "./permissions";

/** Shows the fields of a new key. */
export function ApiKeyFields({
  problems,
  pointSystems,
  chosenId,
  today,
}: {
  problems: FormProblems | undefined;
  /** The point systems that a key of this operator can reach. */
  pointSystems: readonly { id: string; name: string; isSandbox: boolean }[];
  /** The point system that the reader came from. */
  chosenId: string | null;
  /** The current day in UTC, as `2027-01-31`. */
  today: string;
}) {
  const chosen = pointSystems
    .map(({ id }) => id)
    .filter((id, _, { length }) => length === 1 || id === chosenId);
  return (
    <>
      <Field
        label="Name"
        {...fieldOf(problems, "name")}
        autoComplete="off"
        maxLength={100}
        hint="Where the key is used, such as: shop backend."
      />
      <RadioGroup
        label="Permission"
        {...fieldOf(problems, "permission", "trigger")}
        options={PERMISSION_OPTIONS}
      />
      <CheckboxGroup
        label="Point systems"
        name="pointSystems"
        hint={`Choose what this key can access.${
          pointSystems.some(({ isSandbox }) => isSandbox)
            ? " A key reaches either sandboxes or other point systems."
            : ""
        }`}
        options={pointSystems.map(({ id, name, isSandbox }) => ({
          value: id,
          label: isSandbox ? `${name} (sandbox)` : name,
        }))}
        defaultValues={problems?.lists.pointSystems ?? chosen}
        problem={problems?.fields.pointSystems}
      />
      <Field
        label="Expires"
        {...fieldOf(problems, "expires")}
        type="date"
        isOptional
        min={today}
        hint="The key works until the end of that day (UTC). Leave it empty for no expiry."
      />
    </>
  );
}
