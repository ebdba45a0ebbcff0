import { getAddress } from "viem";
import { type Address, parseAddress } from "../address";
import { describeAddressDoubt, hasChecksum } from "../address-doubt";

/** The address that a holder typed to be paid at, or the reason why it cannot be used. */
export type Receiver =
  | {
      readonly address: Address;
      /** The address with the letter case of EIP-55. */
      readonly checksummed: string;
      /** Whether the typed letters prove that none was mistyped. */
      readonly hasChecksum: boolean;
    }
  | { readonly problem: string };

/**
 * Checks the address that a claim is to be paid to.
 * @param own the wallet, the token and the contract of the claim
 */
export function checkReceiver(
  text: string,
  own: {
    readonly wallet: Address;
    readonly token: Address | null;
    readonly contract: Address;
  },
): Receiver {
  const address = parseAddress(text.trim());
  if (!address) return { problem: "Enter an address: 0x and 40 hexadecimal digits." };
  const doubt = describeAddressDoubt(text);
  if (doubt) return { problem: doubt };
  if (address === own.token) return { problem: "This is the token itself. It would be lost." };
  if (address === own.contract) {
    return { problem: "This is the campaign contract. The tokens would be lost." };
  }
  if (address === own.wallet) return { problem: "This is the wallet itself: Claim pays it." };
  return { address, checksummed: getAddress(address), hasChecksum: hasChecksum(text) };
}
