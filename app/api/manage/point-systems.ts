import { z } from "zod";
import { EXAMPLE } from "../../domain/reference/example";
import { PointSystemInputs } from "../../routes/dashboard/point-systems/point-system.inputs.server";
import { clearSandbox } from "../../services/point-systems/clear";
import {
  createPointSystem,
  getPointSystem,
  listPointSystemsOfKey,
  type PointSystem,
  updatePointSystem,
} from "../../services/point-systems/point-systems";
import { accountOperation, check, DONE, done, operation, orNull } from "./operation";

const PointSystemReply = z.strictObject({
  id: z.uuid().describe("The point system's UUID"),
  name: z.string().describe("Its name"),
  shortId: z.string().describe("Four characters for people"),
  slug: z.string().nullable().describe("The path of its public leaderboard; null when it has none"),
  isSandbox: z.boolean().describe("Whether it is a sandbox, for tests alone"),
  isClearing: z.boolean().describe("Whether it is being cleared: calls wait until this is false"),
  createdAt: z.iso.datetime().describe("The time of its creation"),
  wallets: z.int().nonnegative().describe("Wallets, with those on the blacklist"),
  blacklistedWallets: z.int().nonnegative().describe("Wallets on the blacklist"),
  events: z.int().nonnegative().describe("Events that stand"),
});

const toReply = ({ role: _, createdAt, ...pointSystem }: PointSystem) => ({
  ...pointSystem,
  createdAt: createdAt.toISOString(),
});

const fields = {
  name: z.string().describe("Its name: a line of 1 to 100 characters"),
  slug: orNull(z.string(), "The path of its public leaderboard; null for no public leaderboard"),
};

const readFields = ({ name, slug }: { name: string; slug: string | null }) =>
  check(PointSystemInputs, { name, slug: slug ?? "" });

const example = {
  id: EXAMPLE.pointSystemId,
  name: "Spring season",
  shortId: "7QXA",
  slug: "spring",
  isSandbox: false,
  isClearing: false,
  createdAt: "2026-01-02T03:04:05.000Z",
  wallets: 1840,
  blacklistedWallets: 3,
  events: 96210,
};

export const POINT_SYSTEM_OPERATIONS = {
  "manage/v1/point-systems": accountOperation("manage/v1/point-systems", {
    name: "listPointSystems",
    fields: {},
    failures: [],
    reply: z.strictObject({
      pointSystems: z.array(PointSystemReply).describe("Point systems, newest first"),
    }),
    example: { request: {}, answer: { pointSystems: [example] } },
    handle: async (actor) => ({ pointSystems: (await listPointSystemsOfKey(actor)).map(toReply) }),
  }),
  "manage/v1/point-system": operation("manage/v1/point-system", {
    name: "getPointSystem",
    fields: {},
    failures: [],
    reply: PointSystemReply,
    example: { request: {}, answer: example },
    handle: async (owner) => toReply(await getPointSystem(owner)),
  }),
  "manage/v1/point-systems/create": accountOperation("manage/v1/point-systems/create", {
    name: "createPointSystem",
    fields: {
      ...fields,
      isSandbox: orNull(
        z.boolean(),
        "Whether it is a sandbox, for ever; null for the kind of the point systems that the key reaches",
      ),
    },
    failures: ["slug_taken", "sandbox_mixed", "sandbox_not_public"],
    reply: z.strictObject({ id: z.uuid().describe("The new point system's UUID") }),
    notes: [
      "The key's operator owns the point system, and the key reaches it from now on.",
      "A key of sandboxes makes sandboxes only, and another key none.",
    ],
    example: {
      request: { name: "Spring season", slug: "spring" },
      answer: { id: EXAMPLE.pointSystemId },
    },
    handle: (actor, { isSandbox, ...input }) =>
      createPointSystem(actor, { ...readFields(input), isSandbox }),
  }),
  "manage/v1/point-systems/clear": operation("manage/v1/point-systems/clear", {
    name: "clearSandbox",
    fields: {
      name: z.string().describe("The sandbox's name, so that no other one is cleared by mistake"),
    },
    failures: ["sandbox_needed", "confirmation_wrong"],
    reply: z.strictObject({
      isDone: z.boolean().describe("False when it goes on: read isClearing of the point system"),
    }),
    notes: [
      "Triggers, keys, webhooks, members, the audit log and campaigns on chain stay.",
      "What is credited before the end may be cleared as well.",
    ],
    example: { request: { name: "Spring season" }, answer: { isDone: true } },
    async handle(owner, { name }) {
      const { isDone } = await clearSandbox(owner, name);
      return { isDone };
    },
  }),
  "manage/v1/point-systems/update": operation("manage/v1/point-systems/update", {
    name: "updatePointSystem",
    fields,
    failures: ["slug_taken", "sandbox_not_public"],
    reply: z.strictObject(done),
    notes: ["Both fields are set. Left out, slug takes the public leaderboard away."],
    example: {
      request: { name: "Spring season", slug: "spring" },
      answer: { success: true },
    },
    async handle(owner, input) {
      await updatePointSystem(owner, readFields(input));
      return DONE;
    },
  }),
};
