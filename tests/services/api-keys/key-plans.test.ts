import { expect, test } from "vitest";
import { pipelinedQuery } from "../../../app/db/client";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { authorizeScope } from "../../../app/services/access/authorization";
import { scene } from "../../support/scene";

const listPlans = pipelinedQuery("reads", (db) => ({
  execute: () =>
    db.$client.unsafe<{ generic: number; custom: number }[]>(`
      select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where statement like '%api_key_point_systems%' and statement not like '%pg_prepared_statements%'`),
}));

test("the check of a key is planned once, not at each call", async () => {
  const { pointSystemId, token } = await scene();
  const credential = { tokenHash: hashApiKeyToken(token) };
  for (let call = 0; call < 12; call += 1) {
    await authorizeScope(credential, "read", pointSystemId);
  }
  // PostgreSQL tries five plans for the values at hand before it decides.
  const [plans] = await listPlans(undefined, 0);
  expect(plans).toEqual({ custom: 5, generic: 7 });
});
