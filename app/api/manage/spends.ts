import { z } from "zod";
import { parseAddress } from "../../domain/address";
import { EXAMPLE } from "../../domain/reference/example";
import { parseUuid } from "../../domain/uuid";
import { ReversalInputs } from "../../routes/dashboard/board/wallet.inputs.server";
import { listSpends } from "../../services/ledger/spend-list";
import { reverseSpendByHand } from "../../services/ledger/spending";
import { declareAddress } from "../input";
import { AddressReply, toIso } from "../replies";
import { check, olderParameter, olderReply, operation, orNull, readOlder } from "./operation";

const DATE = "2026-01-02T03:04:05.000Z";
const SPEND_ID = "3f6f0f3e-2f3c-4b58-9a5e-6d1c8e7b4a21";

export const SPEND_OPERATIONS = {
  "manage/v1/spends": operation("manage/v1/spends", {
    name: "listSpends",
    fields: {
      walletAddress: declareAddress("The wallet that spent. Left out, all wallets").optional(),
      older: olderParameter,
    },
    failures: ["invalid_field"],
    reply: z.strictObject({
      spends: z
        .array(
          z.strictObject({
            id: z.uuid().describe("The spend's UUID"),
            walletAddress: AddressReply.describe("The wallet, lowercase"),
            points: z.int().positive().describe("The spent points"),
            balance: z.int().nonnegative().describe("The points that the wallet had left"),
            reason: z.string().describe("What they were spent on"),
            date: z.iso.datetime().describe("The time of the spend"),
            reversedAt: z.iso.datetime().nullable().describe("The time at which it was given back"),
            note: z.string().nullable().describe("The operator's note on that; null for none"),
          }),
        )
        .describe("At most 50 spends, newest first"),
      older: olderReply,
    }),
    example: {
      request: {},
      answer: {
        spends: [
          {
            ...{ id: SPEND_ID, walletAddress: EXAMPLE.wallet, points: 250, balance: 1030 },
            ...{ reason: "Raffle ticket", date: DATE, reversedAt: null, note: null },
          },
        ],
        older: null,
      },
    },
    async handle(owner, { walletAddress, older: from }) {
      const address = walletAddress === undefined ? null : parseAddress(walletAddress);
      const { rows, older } = await listSpends(owner, address, readOlder(from, parseUuid));
      return {
        spends: rows.map(({ address: wallet, date, reversed, ...spend }) => ({
          ...spend,
          walletAddress: wallet,
          date: date.toISOString(),
          reversedAt: toIso(reversed?.date ?? null),
          note: reversed?.note ?? null,
        })),
        older,
      };
    },
  }),
  "manage/v1/spends/reverse": operation("manage/v1/spends/reverse", {
    name: "reverseSpendByHand",
    fields: {
      spendId: z.guid().describe("The spend's id"),
      note: orNull(z.string(), "A line of at most 500 characters, for operators alone"),
    },
    failures: ["spend_not_found", "spend_reversed"],
    reply: z.strictObject({
      walletAddress: AddressReply.describe("The wallet that has the points now"),
      points: z.int().positive().describe("The points that were given back"),
      balance: z.int().nonnegative().describe("The points that it can spend"),
    }),
    notes: ["POST /spend/reverse does the same for an application, and repeats its answer."],
    example: {
      request: { spendId: SPEND_ID, note: "The ticket was not sent" },
      answer: { walletAddress: EXAMPLE.wallet, points: 250, balance: 1280 },
    },
    async handle(owner, { spendId, note: text }) {
      const { spend, note } = check(ReversalInputs, { spend: spendId, note: text ?? "" });
      const { address, ...reversal } = await reverseSpendByHand(owner, spend, note);
      return { walletAddress: address, ...reversal };
    },
  }),
};
