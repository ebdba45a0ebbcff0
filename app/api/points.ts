import { z } from "zod";
import { parseAddress } from "../domain/address";
import { Failure } from "../domain/failure";
import { getWalletPoints, type WalletReference } from "../services/board/standings";
import { ensNames } from "../services/ens/names";
import { endpoint } from "./endpoint";
import { parseQuery } from "./input";
import { AddressReply } from "./replies";

const PointsQuery = z.object({ address: z.string().min(1) });

const StandingReply = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  slug: z.string().nullable(),
  points: z.int().nonnegative(),
  events: z.int().nonnegative(),
  rank: z.int().positive().nullable(),
  totalParticipants: z.int().nonnegative().nullable(),
  isBlacklisted: z.boolean(),
  blacklistReason: z.string().nullable(),
  blacklistedAt: z.iso.datetime().nullable(),
});

const PointsReply = z.strictObject({
  address: z.string(),
  ens: z.string().nullable(),
  hexAddress: AddressReply,
  resolvedAt: z.iso.datetime(),
  pointSystems: z.array(StandingReply),
  summary: z.strictObject({
    totalPointSystems: z.int().nonnegative(),
    totalPoints: z.number().nonnegative(),
    blacklistedCount: z.int().nonnegative(),
    isBlacklisted: z.boolean(),
  }),
});

/** GET /points reads a wallet, by address or ENS name, in every point system in the key's scope. */
export const loader = endpoint("points", {
  scope: "any",
  parse: async (request) => readWallet(parseQuery(PointsQuery, request.url).address),
  reply: PointsReply,
  handle: async ({ input, key }) => ({ body: await getWalletPoints(key.id, input) }),
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
