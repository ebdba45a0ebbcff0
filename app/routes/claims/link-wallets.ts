import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { type Address, parseAddress } from "../../domain/address";
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

const WalletInput = z
  .string()
  .transform((text): Address | null => parseAddress(text))
  .pipe(z.custom<Address>((address) => address !== null));

const NonceInput = z.string().regex(/^[0-9a-f]{32}$/);

// A contract's signature can be long: only the body's own limit bounds it.
const SignatureInput = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform((text) => text as `0x${string}`);

const wallets = { address: WalletInput, primaryAddress: WalletInput };
const Input = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("ask"), ...wallets, chainId: z.int().min(1) }),
  z.object({
    intent: z.literal("link"),
    ...wallets,
    nonce: NonceInput,
    signature: SignatureInput,
    primarySignature: SignatureInput,
  }),
  z.object({ intent: z.literal("ask-unlink"), address: WalletInput, chainId: z.int().min(1) }),
  z.object({
    intent: z.literal("unlink"),
    address: WalletInput,
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
