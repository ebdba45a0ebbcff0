import type { ActionFunctionArgs } from "@remix-run/node";
import { isHex } from "viem";
import { z } from "zod";
import { answerError, answerJson } from "../api/endpoint";
import { readJsonBody } from "../api/input";
import { Failure } from "../domain/failure";
import { takeHint } from "../services/claim-hint";
import { admitPublicCall } from "../services/public-limit";

const Hint = z.object({
  chainId: z.int().positive(),
  txHash: z.custom<`0x${string}`>((value) => isHex(value) && value.length === 66),
});

const refuseMethod = async ({ context }: ActionFunctionArgs) =>
  answerError(new Failure("method_not_allowed", { allow: "POST" }), context);

export const loader = refuseMethod;

/**
 * POST /claim/hint: the claim page tells a transaction that it saw in a block. It is for pages of this
 * service, needs no session, and is limited for each network.
 */
export async function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args;
  if (request.method !== "POST") return refuseMethod(args);
  try {
    await admitPublicCall(context.ip, "hint");
    const hint = Hint.safeParse(await readJsonBody(request));
    if (!hint.success) throw new Failure("invalid_hint");
    const { chainId, txHash } = hint.data;
    return answerJson({ status: await takeHint(chainId, txHash) }, context);
  } catch (error) {
    return answerError(error, context);
  }
}
