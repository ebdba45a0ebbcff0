import { json, type LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { listPayments } from "../../../services/campaigns/chain/payments";
import { readCursor } from "./payments.inputs.server";

/** Answers the next shares to pay out, with their proofs, for the page that pays everybody. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("rewards/:rewardId/payments.json"));
  const after = readCursor(args.request);
  const payments = await listPayments(member, args.params.rewardId ?? "", after);
  return json({ payments }, { headers: { "Cache-Control": "no-store" } });
});
