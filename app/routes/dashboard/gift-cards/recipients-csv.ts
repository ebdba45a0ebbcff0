import type { LoaderFunctionArgs } from "@remix-run/node";
import { mayRead } from "../../../domain/access/pages";
import { streamCsv } from "../../../http/csv";
import { requireMember } from "../../../http/member";
import { page } from "../../../http/page";
import { getGiftCardReward } from "../../../services/gift-cards/gift-cards";
import { type Recipient, readAllRecipients } from "../../../services/gift-cards/recipients";

const HEADER = ["wallet", "tier", "distributed at", "revealed", "claimed at"];

/** Answers the recipients of a reward's cards as a CSV file. It has no codes. */
export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("gift-cards/:rewardId/recipients.csv"));
  const reward = await getGiftCardReward(member, args.params.rewardId ?? "");
  const rows = toRows(readAllRecipients(member, reward.id));
  return streamCsv("gift-card-recipients.csv", HEADER, rows, args.context);
});

async function* toRows(recipients: AsyncIterable<Recipient>) {
  for await (const { address, tier, date, isRevealed, claimedAt } of recipients) {
    const revealed = isRevealed ? "yes" : "no";
    yield [address, tier, date.toISOString(), revealed, claimedAt?.toISOString() ?? null];
  }
}
