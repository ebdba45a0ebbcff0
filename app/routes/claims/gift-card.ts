import type { ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { Failure } from "../../domain/failure";
import { jsonRoute } from "../../http/json";
import { readJsonBody } from "../../http/request";
import { askForSignature, revealSignedGiftCard } from "../../services/gift-cards/signatures";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";
import { admitPublicCall } from "../../services/runtime/public-limit";
import { AddressInput } from "../shared.inputs.server";
import { NonceInput, SignatureInput } from "./signed.inputs.server";

const Input = z.discriminatedUnion("intent", [
  z.object({
    intent: z.literal("ask"),
    cardId: z.guid(),
    address: AddressInput,
    chainId: z.int().min(1),
  }),
  z.object({
    intent: z.literal("reveal"),
    cardId: z.guid(),
    address: AddressInput,
    nonce: NonceInput,
    signature: SignatureInput,
  }),
]);

/** Tells a wallet which text to sign for a gift card, and reveals the code for its signature. */
export const action = jsonRoute(
  "POST",
  async ({ request, params, context }: ActionFunctionArgs) => {
    await admitPublicCall(context.ip);
    const { id: pointSystemId } = await getPublicPointSystem(params.slug ?? "");
    const input = Input.safeParse(await readJsonBody(request));
    if (!input.success) throw new Failure("invalid_form");
    if (input.data.intent === "ask") {
      const { cardId, address, chainId } = input.data;
      return askForSignature({ pointSystemId, cardId, address, chainId }, context.appOrigin);
    }
    const userAgent = request.headers.get("user-agent") ?? "";
    const { intent: _, ...signed } = input.data;
    return revealSignedGiftCard(
      { pointSystemId, ...signed, ip: context.ip, userAgent },
      context.appOrigin,
    );
  },
);
