import { randomUUID } from "node:crypto";
import { z } from "zod";
import { PERMISSIONS, SANDBOX_KEY_PREFIX } from "../../domain/access/api-key";
import { NewApiKeyInputs } from "../../routes/dashboard/api-keys/api-keys.inputs.server";
import { createApiKey, deleteApiKey, listApiKeysOfSystem } from "../../services/api-keys/api-keys";
import { toIso } from "../replies";
import { accountOperation, check, DONE, done, operation, orNull } from "./operation";

const EXAMPLE_ID = "7d1f3b52-9c0a-4e57-8b41-6a2c7d5e9f01";

const expiresAt = z.iso.datetime().nullable().describe("Refused from then on; null for never");
const name = z.string().describe("Where the key is used: a line of 1 to 100 characters");

/** A key may be made again with the id that it had, and is then not made twice. */
const id = z
  .guid()
  .optional()
  .describe("A UUID of yours, so that a repeated call makes no second key");

export const KEY_OPERATIONS = {
  "manage/v1/keys": operation("manage/v1/keys", {
    name: "listKeys",
    fields: {},
    failures: [],
    reply: z.strictObject({
      keys: z
        .array(
          z.strictObject({
            id: z.uuid().describe("The key's UUID"),
            name,
            permission: z.enum(PERMISSIONS).describe("The key's permission"),
            isSandbox: z.boolean().describe("Whether it reaches sandboxes, and only these"),
            hint: z.string().describe("The beginning of the key's SHA-256 hash"),
            createdAt: z.iso.datetime().describe("The time of its creation"),
            lastUsedAt: z.iso.datetime().nullable().describe("The last use; null for none"),
            expiresAt,
          }),
        )
        .describe(
          "The operator's keys that reach the point system and do not manage, newest first",
        ),
    }),
    notes: ["Keys are stored as hashes: none is ever answered again."],
    example: {
      request: {},
      answer: {
        keys: [
          {
            id: EXAMPLE_ID,
            name: "backend",
            permission: "trigger",
            isSandbox: false,
            hint: "a41f07",
            createdAt: "2026-01-02T03:04:05.000Z",
            lastUsedAt: null,
            expiresAt: null,
          },
        ],
      },
    },
    async handle(owner) {
      const all = await listApiKeysOfSystem(owner);
      const keys = all.filter(({ permission }) => permission !== "manage");
      return {
        keys: keys.map(({ pointSystems: _, createdAt, lastUsedAt, expiresAt: end, ...key }) => ({
          ...key,
          createdAt: createdAt.toISOString(),
          lastUsedAt: toIso(lastUsedAt),
          expiresAt: toIso(end),
        })),
      };
    },
  }),
  "manage/v1/keys/create": accountOperation("manage/v1/keys/create", {
    name: "createKey",
    fields: {
      id,
      name,
      permission: z.enum(PERMISSIONS).describe("trigger, read or all: manage is refused"),
      pointSystemIds: z
        .array(z.string())
        .describe("The point systems that it reaches, within the scope of the key that calls"),
      expires: orNull(z.string(), "Its last day in UTC, such as 2027-01-31; null for no expiry"),
    },
    failures: [
      "manage_key_refused",
      "not_found",
      "sandbox_mixed",
      "api_key_exists",
      "too_many_api_keys",
    ],
    reply: z.strictObject({
      id: z.uuid().describe("The key's UUID"),
      key: z.string().describe("The key. It is answered this once and stored nowhere"),
    }),
    notes: [
      "An owner makes keys that manage in the dashboard, with the password.",
      `A key of sandboxes begins with ${SANDBOX_KEY_PREFIX}, and reaches no other point system.`,
    ],
    example: {
      request: ({ pointSystemId }) => ({
        name: "backend",
        permission: "trigger",
        pointSystemIds: [pointSystemId],
      }),
      answer: { id: EXAMPLE_ID, key: "rw_0f1e2d3c4b5a69788796a5b4c3d2e1f0" },
    },
    async handle(actor, { id: given, pointSystemIds, expires, ...input }) {
      const fields = check(NewApiKeyInputs, {
        ...input,
        id: given ?? randomUUID(),
        pointSystems: pointSystemIds,
        expires: expires ?? "",
      });
      const { pointSystems, expires: end, ...key } = fields;
      const { token } = await createApiKey(actor, {
        ...key,
        pointSystemIds: pointSystems,
        expiresAt: end,
      });
      return { id: key.id.toLowerCase(), key: token };
    },
  }),
  "manage/v1/keys/revoke": accountOperation("manage/v1/keys/revoke", {
    name: "revokeKey",
    fields: { id: z.string().describe("The key's UUID") },
    failures: ["manage_key_refused", "not_found"],
    reply: z.strictObject(done),
    notes: ["Every point system of the revoked key is in the scope of the key that calls."],
    example: { request: { id: EXAMPLE_ID }, answer: { success: true } },
    async handle(actor, { id: key }) {
      await deleteApiKey(actor, key);
      return DONE;
    },
  }),
};
