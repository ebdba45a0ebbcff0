import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { getWalletPoints, type WalletReference } from "../services/board/standings";
import { ensNames } from "../services/ens/names";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply } from "./replies";

const PointsQuery = z.object({
  address: z.string().min(1).describe("A wallet's 0x address, or an ENS name that names one"),
  board: parameters.board,
});

const input = { query: PointsQuery };

const StandingReply = z
  .strictObject({
    id: z.uuid().describe("The point system's UUID"),
    name: z.string().describe("The point system's name"),
    slug: z.string().nullable().describe("The name of its public leaderboard; null without one"),
    points: z.int().nonnegative().describe("Points in total"),
    events: z.int().nonnegative().describe("Number of point events"),
    rank: z
      .int()
      .positive()
      .nullable()
      .describe("Place on the leaderboard; null when blacklisted before any points"),
    totalParticipants: z
      .int()
      .nonnegative()
      .nullable()
      .describe("Number of wallets in the point system, blacklisted ones too"),
    isBlacklisted: z.boolean().describe("Whether the wallet earns nothing here"),
    blacklistReason: z.string().nullable().describe("The reason, as an operator wrote it"),
    blacklistedAt: z.iso.datetime().nullable().describe("The time of the blacklisting"),
  })
  .meta({ id: "Standing" });

const PointsReply = z.strictObject({
  address: z.string().describe("The ENS name if there is one, otherwise the 0x address"),
  ens: z.string().nullable().describe("The ENS name; null when there is none"),
  hexAddress: AddressReply.describe("The 0x address, lowercase"),
  resolvedAt: z.iso.datetime().describe("The time at which the name was resolved"),
  pointSystems: z.array(StandingReply).describe("The point systems that know the wallet"),
  summary: z
    .strictObject({
      totalPointSystems: z.int().nonnegative().describe("Number of point systems in the list"),
      totalPoints: z.number().nonnegative().describe("Points in all of them"),
      blacklistedCount: z.int().nonnegative().describe("Number that have blacklisted the wallet"),
      isBlacklisted: z.boolean().describe("Whether at least one has"),
    })
    .describe("The same over all point systems"),
});

/** GET /points reads a wallet, by address or ENS name, in every point system in the key's scope. */
export const loader = endpoint("points", {
  scope: "any",
  input,
  failures: ["invalid_address_or_ens", "ens_unavailable", "board_not_found"],
  parse: async (request) => {
    const { address, board } = parseQuery(input, request.url);
    return { wallet: await readWallet(address), board };
  },
  reply: PointsReply,
  handle: async ({ input: { wallet, board }, key }) => ({
    body: await getWalletPoints(key.id, wallet, board),
  }),
});
export const action = loader;

/**
 * Reads an address or an ENS name.
 * @throws {Failure} `invalid_address_or_ens` when the text is neither
 */
async function readWallet(text: string): Promise<WalletReference> {
  const address = parseAddress(text);
  if (address) return { address };
  const name = await ensNames.normalizeName(text);
  if (name === null) throw new Failure("invalid_address_or_ens");
  return { name };
}
