import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { createPaymentsBatch } from "../../../services/campaigns/chain/payments";
import { readCursor } from "./payments.inputs.server";

/** Answers the next shares to pay out, as a file for a Safe's Transaction Builder. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("rewards/:rewardId/payments-safe.json"));
  const after = readCursor(args.request);
  const batch = await createPaymentsBatch(member, args.params.rewardId ?? "", after);
  return new Response(JSON.stringify(batch, null, 2), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="payments-safe.json"',
      "Cache-Control": "no-store",
    },
  });
});
