import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { Failure } from "../../domain/failure";
import { jsonRoute } from "../../http/json";
import { readJsonBody } from "../../http/request";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";
import { admitPublicCall } from "../../services/runtime/public-limit";
import {
  askForLinkSignatures,
  askForUnlinkSignature,
  linkSignedWallets,
  unlinkSignedWallet,
} from "../../services/wallet-links/signatures";
import { AddressInput } from "../shared.inputs.server";
import { NonceInput, SignatureInput } from "./signed.inputs.server";

const wallets = { address: AddressInput, primaryAddress: AddressInput };
const Input = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("ask"), ...wallets, chainId: z.int().min(1) }),
  z.object({
    intent: z.literal("link"),
    ...wallets,
    nonce: NonceInput,
    signature: SignatureInput,
    primarySignature: SignatureInput,
  }),
  z.object({ intent: z.literal("ask-unlink"), address: AddressInput, chainId: z.int().min(1) }),
  z.object({
    intent: z.literal("unlink"),
    address: AddressInput,
    nonce: NonceInput,
    signature: SignatureInput,
  }),
]);

/** Tells wallets of one holder which texts to sign, and links two for both signatures, or unlinks one for its own. */
export const action = jsonRoute(
  "POST",
  async ({ request, params, context }: ActionFunctionArgs) => {
    await admitPublicCall(context.ip);
    const { id } = await getPublicPointSystem(params.slug ?? "");
    const input = Input.safeParse(await readJsonBody(request));
    if (!input.success) throw new Failure("invalid_form");
    return take(id, input.data, context.appOrigin);
  },
);

function take(pointSystemId: string, data: z.output<typeof Input>, origin: string) {
  switch (data.intent) {
    case "ask":
      return askForLinkSignatures(pointSystemId, data, origin);
    case "link":
      return linkSignedWallets(pointSystemId, data, origin);
    case "ask-unlink":
      return askForUnlinkSignature(pointSystemId, data, origin);
    case "unlink":
      return unlinkSignedWallet(pointSystemId, data, origin);
  }
}
