import type { ActionFunctionArgs } from "@remix-run/node";
import { isHex } from "viem";
import { z } from "zod";
import { Failure } from "../../domain/failure";
import { jsonRoute } from "../../http/json";
import { readJsonBody } from "../../http/request";
import { takeHint } from "../../services/claims/hint";
import { admitPublicCall } from "../../services/runtime/public-limit";

const Hint = z.object({
  chainId: z.int().positive(),
  txHash: z.custom<`0x${string}`>((value) => isHex(value) && value.length === 66),
});

/**
 * Takes POST /claim/hint: the claim page names a transaction that it saw in a block. The route is
 * for pages of this service, needs no session, and is limited for each network.
 */
export const action = jsonRoute("POST", async ({ request, context }: ActionFunctionArgs) => {
  await admitPublicCall(context.ip, "hint");
  const hint = Hint.safeParse(await readJsonBody(request));
  if (!hint.success) throw new Failure("invalid_hint");
  const { chainId, txHash } = hint.data;
  return { status: await takeHint(chainId, txHash) };
});
export const loader = action;
