import { z } from "zod";
import { parseAddress } from "../../domain/address";
import { EXAMPLE } from "../../domain/reference/example";
import { AddressInput } from "../../routes/shared.inputs.server";
import { linkWallets, unlinkWallet } from "../../services/wallet-links/links";
import { listWalletLinks } from "../../services/wallet-links/list";
import { declareAddress } from "../input";
import { AddressReply } from "../replies";
import { check, olderParameter, olderReply, operation, readOlder } from "./operation";

const EXAMPLE_PRIMARY = "0x90f8bf6a479f320ead074411a4b0e7944ea8c9c1";
const linkedReply = AddressReply.describe("The linked wallet, lowercase");
const primaryReply = AddressReply.describe("Its primary wallet, lowercase");

export const WALLET_LINK_OPERATIONS = {
  "manage/v1/wallet-links": operation("manage/v1/wallet-links", {
    name: "listWalletLinks",
    fields: { older: olderParameter },
    failures: ["invalid_field"],
    reply: z.strictObject({
      links: z
        .array(
          z.strictObject({
            address: linkedReply,
            primaryAddress: primaryReply,
            date: z.iso.datetime().describe("The time at which it was linked"),
            linkedBy: z
              .enum(["operator", "holder"])
              .describe("holder: both wallets signed on the claim page"),
          }),
        )
        .describe("At most 50 links, newest first"),
      older: olderReply,
    }),
    example: {
      request: {},
      answer: {
        links: [
          {
            address: EXAMPLE.wallet,
            primaryAddress: EXAMPLE_PRIMARY,
            date: "2026-01-02T03:04:05.000Z",
            linkedBy: "holder",
          },
        ],
        older: null,
      },
    },
    async handle(owner, { older: from }) {
      const { rows, older } = await listWalletLinks(owner, readOlder(from, parseAddress));
      const links = rows.map(({ address, primaryAddress, linkedAt, isByHolder }) => ({
        address,
        primaryAddress,
        date: linkedAt.toISOString(),
        linkedBy: isByHolder ? ("holder" as const) : ("operator" as const),
      }));
      return { links, older };
    },
  }),
  "manage/v1/wallet-links/create": operation("manage/v1/wallet-links/create", {
    name: "linkWallet",
    fields: {
      walletAddress: declareAddress(
        "The 0x address of the wallet that is to count for the primary one",
      ),
      primaryAddress: declareAddress("The 0x address of the primary wallet"),
    },
    failures: [
      "wallets_same",
      "wallet_linked",
      "wallet_has_links",
      "primary_linked",
      "too_many_linked_wallets",
      "wallet_blacklisted",
      "points_limit_reached",
    ],
    reply: z.strictObject({
      pointsMoved: z.int().nonnegative().describe("The points that moved to the primary wallet"),
      eventsMoved: z.int().nonnegative().describe("The number of events that they stand for"),
    }),
    notes: [
      "The wallet's points move at once, and its later credits go to the primary wallet.",
      "A holder can have 20 wallets, the primary one included. Chains are refused.",
    ],
    example: {
      request: ({ wallet: walletAddress }) => ({ walletAddress, primaryAddress: EXAMPLE_PRIMARY }),
      answer: { pointsMoved: 1280, eventsMoved: 42 },
    },
    async handle(owner, { walletAddress, primaryAddress }) {
      const Pair = z.object({ walletAddress: AddressInput, primaryAddress: AddressInput });
      const pair = check(Pair, { walletAddress, primaryAddress });
      const { points, events } = await linkWallets(owner, {
        address: pair.walletAddress,
        primaryAddress: pair.primaryAddress,
      });
      return { pointsMoved: points, eventsMoved: events };
    },
  }),
  "manage/v1/wallet-links/delete": operation("manage/v1/wallet-links/delete", {
    name: "unlinkWallet",
    fields: { walletAddress: declareAddress("The 0x address of the linked wallet") },
    failures: ["wallet_not_linked"],
    reply: z.strictObject({ primaryAddress: primaryReply }),
    notes: ["Its later credits are its own again. What has moved stays with the primary wallet."],
    example: {
      request: ({ wallet: walletAddress }) => ({ walletAddress }),
      answer: { primaryAddress: EXAMPLE_PRIMARY },
    },
    async handle(owner, { walletAddress }) {
      const { walletAddress: address } = check(z.object({ walletAddress: AddressInput }), {
        walletAddress,
      });
      const { primaryAddress } = await unlinkWallet(owner, address);
      return { primaryAddress };
    },
  }),
};
