import type { LoaderFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { parseUuid } from "../../../domain/uuid";
import { lookFor } from "../../../http/search";
import type { Member } from "../../../services/access/members";
import { listRecipients, listReveals } from "../../../services/gift-cards/recipients";
import { resolveWallet } from "../../../services/search/wallet-search";
import { readCursor } from "../board/wallet.inputs.server";

const View = z.enum(["stock", "preview", "recipients", "reveals"]).catch("stock");

/** Reads which view of a gift card reward a link leads to: the query's `view`. */
export function readView(request: Request): z.output<typeof View> {
  return View.parse(new URL(request.url).searchParams.get("view"));
}

/** Reads a page of the recipients or of the reveals; of one wallet when the query names one. */
export async function readHandOut(
  args: LoaderFunctionArgs,
  member: Member,
  rewardId: string,
  view: "recipients" | "reveals",
) {
  const text = new URL(args.request.url).searchParams.get("search")?.trim().slice(0, 300);
  const search = text ? await lookFor(args, text, (typed) => resolveWallet(member, typed)) : null;
  const wanted = {
    rewardId,
    address: search?.found?.address ?? null,
    cursor: readCursor(args.request, parseUuid),
  };
  return view === "recipients"
    ? { view, search, list: await listRecipients(member, wanted) }
    : { view, search, list: await listReveals(member, wanted) };
}
