import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { registerWallet } from "../services/ledger/registrations";
import { bodyFields } from "./credit-fields";
import { endpoint } from "./endpoint";
import { readBody } from "./input";
import { AddressReply } from "./replies";

const REQUIRED = ["walletAddress", "pointSystemId"] as const;

const WalletsBody = z.object(bodyFields);

async function parseRegistration(request: Request) {
  const { pointSystemId, ...body } = await readBody(request, WalletsBody, REQUIRED);
  const walletAddress = parseAddress(body.walletAddress);
  if (!walletAddress) throw new Failure("invalid_wallet_address");
  return { pointSystemId, walletAddress };
}

/**
 * POST /wallets registers a wallet that has no points yet. A repeated call changes nothing and
 * answers `created: false`.
 */
export const action = endpoint("wallets", {
  scope: "point-system",
  input: { body: WalletsBody },
  failures: ["missing_parameter", "invalid_wallet_address", "wallet_blacklisted"],
  parse: parseRegistration,
  reply: z.strictObject({
    success: z.literal(true).describe("The wallet is registered"),
    walletAddress: AddressReply.describe("The wallet, lowercase"),
    created: z.boolean().describe("False when it was there before"),
  }),
  async handle({ input: { pointSystemId, walletAddress } }) {
    const created = await registerWallet(pointSystemId, walletAddress);
    return { body: { success: true as const, walletAddress, created } };
  },
});
export const loader = action;
