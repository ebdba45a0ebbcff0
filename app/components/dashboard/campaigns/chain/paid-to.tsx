import { type Address, parseAddress } from "../../../../domain/address";
import { Field } from "../../../form/field";

export const NOT_AN_ADDRESS = "Enter an address: 0x and 40 hexadecimal digits.";

/** Reads an address from a form; null when it is none. */
export const readAddress = (fields: FormData, name: string) =>
  parseAddress(String(fields.get(name)).trim());

/** Asks for the address that tokens are paid back to. */
export function PaidTo({
  address,
  problem,
}: {
  address: Address | undefined;
  problem: string | undefined;
}) {
  return (
    <Field
      label="Paid to"
      name="to"
      spellCheck={false}
      autoComplete="off"
      defaultValue={address}
      problem={problem}
    />
  );
}
