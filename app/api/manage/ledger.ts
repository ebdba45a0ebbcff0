import { z } from "zod";
import { parseAddress } from "../../domain/address";
import { createEventId } from "../../domain/ledger/event-id";
import { CREDIT_POINTS_MAX } from "../../domain/ledger/points";
import { EXAMPLE } from "../../domain/reference/example";
import {
  EventPlaceInput,
  NoteInput,
  PointsInput,
} from "../../routes/dashboard/board/wallet.inputs.server";
import { AddressInput } from "../../routes/shared.inputs.server";
import { findWalletEntry } from "../../services/board/wallets";
import { addToBlacklist, removeFromBlacklist } from "../../services/ledger/blacklist";
import { listBlacklist } from "../../services/ledger/blacklist-entries";
import { grantPoints, refuseCreditsId } from "../../services/ledger/grants";
import { voidEvent } from "../../services/ledger/voids";
import { declareAddress } from "../input";
import { AddressReply, WalletEntryReply } from "../replies";
import { check, olderParameter, olderReply, operation, orNull, readOlder } from "./operation";

/** The most wallets of a look-up: their addresses are in its URL. */
const ADDRESSES_MAX = 100;
/** The most wallets that a call adds or removes. */
const WALLETS_MAX = 1_000;
/** The longest body, in bytes: a thousand wallets with reasons of some length. */
const BODY_BYTES_MAX = 1024 * 1024;

const walletAddress = declareAddress("The wallet's 0x address, in any letter case");
const note = orNull(z.string(), "A line of at most 500 characters, for operators alone");
const reason = note.meta({ default: null, description: "The reason, as a line for operators" });
const EXAMPLE_ID = "0b6c1a3e-58d2-4f7a-9e13-c4d5e6f70819";

const Grant = z.object({ address: AddressInput, points: PointsInput, note: NoteInput });
const Blacklisted = z.object({ walletAddress: AddressInput, reason: NoteInput });

export const LEDGER_OPERATIONS = {
  "manage/v1/standings": operation("manage/v1/standings", {
    name: "listStandings",
    fields: {
      addresses: z
        .string()
        .describe(`1 to ${ADDRESSES_MAX} wallets' 0x addresses, with commas between them`),
    },
    failures: ["invalid_field"],
    reply: z.strictObject({
      wallets: z
        .array(WalletEntryReply)
        .describe("In the order of addresses. A wallet that has no entry is left out"),
    }),
    example: {
      request: ({ wallet }) => ({ addresses: wallet }),
      answer: { wallets: [{ address: EXAMPLE.wallet, points: 1280, events: 42, rank: 7 }] },
    },
    async handle({ pointSystemId }, { addresses }) {
      const Addresses = z.object({ addresses: z.array(AddressInput).min(1).max(ADDRESSES_MAX) });
      const asked = check(Addresses, { addresses: addresses.split(",") });
      const entries = [...new Set(asked.addresses)].map((address) =>
        findWalletEntry(pointSystemId, address),
      );
      return { wallets: (await Promise.all(entries)).filter((entry) => entry !== null) };
    },
  }),
  "manage/v1/blacklist": operation("manage/v1/blacklist", {
    name: "listBlacklist",
    fields: { older: olderParameter },
    failures: ["invalid_field"],
    reply: z.strictObject({
      wallets: z
        .array(
          z.strictObject({
            address: AddressReply.describe("The wallet, lowercase"),
            reason: z.string().nullable().describe("The reason; null for none"),
            date: z.iso.datetime().describe("The time at which it was added"),
            points: z.int().nonnegative().describe("The wallet's points"),
          }),
        )
        .describe("At most 50 wallets, newest first"),
      older: olderReply,
    }),
    example: {
      request: {},
      answer: {
        wallets: [
          {
            address: EXAMPLE.wallet,
            reason: "Bot farm",
            date: "2026-01-02T03:04:05.000Z",
            points: 1280,
          },
        ],
        older: null,
      },
    },
    async handle(owner, { older: from }) {
      const { rows, older } = await listBlacklist(owner, readOlder(from, parseAddress));
      return { wallets: rows.map((row) => ({ ...row, date: row.date.toISOString() })), older };
    },
  }),
  "manage/v1/blacklist/add": operation("manage/v1/blacklist/add", {
    name: "addToBlacklist",
    fields: {
      wallets: z
        .array(z.object({ walletAddress, reason }))
        .min(1)
        .max(WALLETS_MAX)
        .describe("1 to 1,000 wallets. The first entry of a wallet counts"),
    },
    bytesMax: BODY_BYTES_MAX,
    failures: [],
    reply: z.strictObject({
      added: z.int().nonnegative().describe("Wallets that were not on it before"),
    }),
    notes: ["All are added or none. A wallet that is on it keeps its reason and date."],
    example: {
      request: { wallets: [{ walletAddress: EXAMPLE.wallet, reason: "Bot farm" }] },
      answer: { added: 1 },
    },
    async handle(owner, { wallets }) {
      const additions = new Map<string, { address: `0x${string}`; reason: string | null }>();
      for (const wallet of wallets) {
        const { walletAddress: address, reason: why } = check(Blacklisted, {
          ...wallet,
          reason: wallet.reason ?? "",
        });
        if (!additions.has(address)) additions.set(address, { address, reason: why });
      }
      return { added: await addToBlacklist(owner, [...additions.values()]) };
    },
  }),
  "manage/v1/blacklist/remove": operation("manage/v1/blacklist/remove", {
    name: "removeFromBlacklist",
    fields: {
      walletAddresses: z
        .array(walletAddress)
        .min(1)
        .max(WALLETS_MAX)
        .describe("1 to 1,000 wallets"),
    },
    bytesMax: BODY_BYTES_MAX,
    failures: ["points_limit_reached"],
    reply: z.strictObject({
      removed: z.int().nonnegative().describe("Wallets that were on it"),
    }),
    notes: [
      "They return to the leaderboard with the points that they had; those of a linked wallet go to its primary one.",
    ],
    example: { request: { walletAddresses: [EXAMPLE.wallet] }, answer: { removed: 1 } },
    async handle(owner, { walletAddresses }) {
      const Wallets = z.object({ walletAddresses: z.array(AddressInput) });
      const { walletAddresses: addresses } = check(Wallets, { walletAddresses });
      return { removed: await removeFromBlacklist(owner, [...new Set(addresses)]) };
    },
  }),
  "manage/v1/grants/create": operation("manage/v1/grants/create", {
    name: "grantPoints",
    fields: {
      walletAddress,
      points: z.int().min(1).max(CREDIT_POINTS_MAX).describe("Points, 1 to 1,000,000,000"),
      note,
      id: z
        .guid()
        .optional()
        .describe("A UUID of yours, so that a repeated call grants once. It becomes the event's"),
    },
    failures: ["wallet_blacklisted", "points_limit_reached", "form_already_sent"],
    reply: z.strictObject({ id: z.uuid().describe("The event's UUID") }),
    example: {
      request: { walletAddress: EXAMPLE.wallet, points: 500, note: "Prize of the spring quiz" },
      answer: { id: EXAMPLE_ID },
    },
    async handle(owner, { walletAddress: address, points, note: text, id = createEventId() }) {
      const grant = check(Grant, { address, points: String(points), note: text ?? "" });
      const token = id.toLowerCase();
      await refuseCreditsId(owner.pointSystemId, token);
      await grantPoints(owner, { ...grant, token });
      return { id: token };
    },
  }),
  "manage/v1/voids/create": operation("manage/v1/voids/create", {
    name: "voidEvent",
    fields: {
      eventId: z.guid().describe("The event's id, as GET /activity answers it"),
      date: z.iso.datetime().describe("The event's date, as GET /activity answers it"),
      note,
    },
    failures: ["not_found", "event_voided", "event_is_move", "points_are_spent"],
    reply: z.strictObject({
      walletAddress: AddressReply.describe("The wallet that lost the points"),
      points: z.int().positive().describe("The points that it lost"),
    }),
    notes: ["Both the event and its correction stay in the wallet's history."],
    example: {
      request: { eventId: EXAMPLE_ID, date: "2026-01-02T03:04:05.000Z", note: "Credited twice" },
      answer: { walletAddress: EXAMPLE.wallet, points: 500 },
    },
    async handle(owner, { eventId, date, note: text }) {
      const Void = z.object({ date: EventPlaceInput, note: NoteInput });
      const place = `${new Date(date).getTime()}.${eventId}`;
      const { date: event, note: why } = check(Void, { date: place, note: text ?? "" });
      const { address, points } = await voidEvent(owner, event, why);
      return { walletAddress: address, points };
    },
  }),
};
