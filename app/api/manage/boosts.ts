import { z } from "zod";
import {
  BOOST_FACTOR_MAX,
  BOOST_FACTOR_MIN,
  BOOST_WALLETS_MAX,
  isBoostFactor,
} from "../../domain/point-systems/boost";
import { EXAMPLE } from "../../domain/reference/example";
import { AddressInput, TitleInput } from "../../routes/shared.inputs.server";
import {
  type Boost,
  findBoostWallets,
  getBoost,
  listBoosts,
} from "../../services/point-systems/boost-list";
import {
  createBoost,
  deleteBoost,
  endBoost,
  updateBoost,
} from "../../services/point-systems/boosts";
import { declareAddress } from "../input";
import { AddressReply } from "../replies";
import { check, DONE, done, operation, orNull, plainText } from "./operation";

/** The longest body, in bytes: that of a thousand addresses. */
const BODY_BYTES_MAX = 128 * 1024;

const id = plainText.describe("The boost's UUID");

const factor = z.number().min(BOOST_FACTOR_MIN).max(BOOST_FACTOR_MAX);

const fields = {
  name: z.string().describe("Its name: a line of 1 to 100 characters"),
  factor: factor
    .refine(isBoostFactor, "Send at most two decimal places")
    .describe("The factor, 1.01 to 100 with at most two decimal places"),
  endsAt: z.iso.datetime().describe("The end: credits from then on are not boosted"),
  triggerKeys: orNull(
    z.array(plainText).min(1).max(500),
    "The triggers that it boosts; null for all",
  ),
};

const walletAddresses = z
  .array(declareAddress("A wallet's 0x address, in any letter case"))
  .min(1)
  .max(BOOST_WALLETS_MAX);

const idReply = z.uuid().describe("The boost's UUID");

const boostReply = {
  id: idReply,
  name: z.string().describe("Its name"),
  factor: factor.describe("The factor"),
  startsAt: z.iso.datetime().describe("The start, which is in it"),
  endsAt: z.iso.datetime().describe("The end, which is not"),
  triggerKeys: z.array(z.string()).nullable().describe("The triggers that it boosts; null for all"),
  walletCount: z
    .int()
    .nonnegative()
    .nullable()
    .describe("The number of its wallets; null for every wallet"),
  state: z.enum(["running", "scheduled", "ended"]).describe("Whether it runs"),
};

const Checked = z.object({ name: TitleInput, walletAddresses: z.array(AddressInput).nullable() });

/** Checks a name and a list of wallets by the rules of the forms. Each wallet is listed once. */
function readFields(name: string, addresses: readonly string[] | null) {
  const { walletAddresses: checked, ...fieldsOf } = check(Checked, {
    name,
    walletAddresses: addresses,
  });
  return { ...fieldsOf, wallets: checked && [...new Set(checked)] };
}

const toReply = ({ timeZone, startsAt, endsAt, triggerKeys, ...boost }: Boost) => ({
  ...boost,
  startsAt: startsAt.toISOString(),
  endsAt: endsAt.toISOString(),
  triggerKeys: triggerKeys && [...triggerKeys],
});

const EXAMPLE_ID = "5d2f1c0e-7a34-4b8e-9c61-0f1e2d3c4b5a";
const example = {
  name: "Double weekend",
  factor: 2,
  startsAt: "2030-03-02T00:00:00.000Z",
  endsAt: "2030-03-04T00:00:00.000Z",
  triggerKeys: null,
};
const exampleBoost = {
  id: EXAMPLE_ID,
  ...example,
  walletCount: 1,
  state: "scheduled" as const,
};

export const BOOST_OPERATIONS = {
  "manage/v1/boosts": operation("manage/v1/boosts", {
    name: "listBoosts",
    fields: {},
    failures: [],
    reply: z.strictObject({
      boosts: z
        .array(z.strictObject(boostReply))
        .describe(
          "Those that run, those to come, then the past ones, the latest first; 200 at most",
        ),
    }),
    example: { request: {}, answer: { boosts: [exampleBoost] } },
    async handle({ pointSystemId }) {
      return { boosts: (await listBoosts(pointSystemId)).map(toReply) };
    },
  }),
  "manage/v1/boost": operation("manage/v1/boost", {
    name: "getBoost",
    fields: { id },
    failures: ["not_found"],
    reply: z.strictObject({
      ...boostReply,
      walletAddresses: z
        .array(AddressReply)
        .nullable()
        .describe("The wallets that it boosts; null for every wallet"),
    }),
    example: {
      request: { id: EXAMPLE_ID },
      answer: { ...exampleBoost, walletAddresses: [EXAMPLE.wallet] },
    },
    async handle({ pointSystemId }, { id: wanted }) {
      const boost = await getBoost(pointSystemId, wanted);
      const wallets = boost.walletCount === null ? null : findBoostWallets(pointSystemId, boost.id);
      return { ...toReply(boost), walletAddresses: await wallets };
    },
  }),
  "manage/v1/boosts/create": operation("manage/v1/boosts/create", {
    name: "createBoost",
    fields: {
      ...fields,
      startsAt: orNull(z.iso.datetime(), "The start, not in the past; null to start it now"),
      walletAddresses: orNull(
        walletAddresses,
        "1 to 1,000 wallets that it boosts; null for every wallet",
      ),
    },
    bytesMax: BODY_BYTES_MAX,
    failures: ["too_many_boosts", "boost_past", "trigger_not_found"],
    reply: z.strictObject({ id: idReply }),
    notes: ["Where several boosts hold, the greatest factor counts."],
    example: {
      request: { ...example, walletAddresses: [EXAMPLE.wallet] },
      answer: { id: EXAMPLE_ID },
    },
    async handle(owner, { name, factor: times, startsAt, endsAt, triggerKeys, ...input }) {
      const made = {
        ...readFields(name, input.walletAddresses),
        ...{ factor: times, triggerKeys, timeZone: "UTC" },
        startsAt: startsAt === null ? null : new Date(startsAt),
        endsAt: new Date(endsAt),
      };
      return { id: await createBoost(owner, made) };
    },
  }),
  "manage/v1/boosts/update": operation("manage/v1/boosts/update", {
    name: "updateBoost",
    fields: {
      id,
      ...fields,
      startsAt: z.iso
        .datetime()
        .optional()
        .describe("Another start, before it has started; left out, the start stays"),
      walletAddresses: walletAddresses
        .nullable()
        .optional()
        .describe("All of its wallets; null for every wallet. Left out, they stay"),
    },
    bytesMax: BODY_BYTES_MAX,
    failures: ["not_found", "boost_ended", "boost_begun", "boost_past", "trigger_not_found"],
    reply: z.strictObject(done),
    notes: ["A boost that runs can be changed for credits from then on. Earlier ones stay."],
    example: { request: { id: EXAMPLE_ID, ...example }, answer: { success: true } },
    async handle(owner, { id: wanted, name, factor: times, startsAt, endsAt, ...input }) {
      const { wallets, ...checked } = readFields(name, input.walletAddresses ?? null);
      await updateBoost(owner, wanted, {
        ...{ ...checked, factor: times, triggerKeys: input.triggerKeys },
        startsAt: startsAt === undefined ? undefined : new Date(startsAt),
        endsAt: new Date(endsAt),
        wallets: input.walletAddresses === undefined ? undefined : wallets,
      });
      return DONE;
    },
  }),
  "manage/v1/boosts/end": operation("manage/v1/boosts/end", {
    name: "endBoost",
    fields: { id },
    failures: ["not_found", "boost_ended"],
    reply: z.strictObject(done),
    notes: ["What it credited stays."],
    example: { request: { id: EXAMPLE_ID }, answer: { success: true } },
    async handle(owner, { id: wanted }) {
      await endBoost(owner, wanted);
      return DONE;
    },
  }),
  "manage/v1/boosts/delete": operation("manage/v1/boosts/delete", {
    name: "deleteBoost",
    fields: { id },
    failures: ["not_found", "boost_begun"],
    reply: z.strictObject(done),
    notes: ["Only before its start."],
    example: { request: { id: EXAMPLE_ID }, answer: { success: true } },
    async handle(owner, { id: wanted }) {
      await deleteBoost(owner, wanted);
      return DONE;
    },
  }),
};
