import { expect, test } from "vitest";
import { pipelinedQuery } from "../../../app/db/client";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { type Address, parseAddress } from "../../../app/domain/address";
import { authorizeScope } from "../../../app/services/access/authorization";
import { findKeyedEntry } from "../../../app/services/board/keyed-wallets";
import { scene } from "../../support/scene";

const listPlans = pipelinedQuery("reads", (db) => ({
  execute: () =>
    db.$client.unsafe<{ generic: number; custom: number }[]>(`
      select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where statement like '%api_key_point_systems%' and statement not like '%pg_prepared_statements%'
      order by statement like '%wallets%', statement like '%unnest%'`),
}));

test("the check of a key is planned once, not at each call, with the entry of a wallet or of several too", async () => {
  const { pointSystemId, token, wallet } = await scene();
  const credential = { tokenHash: hashApiKeyToken(token) };
  for (let call = 0; call < 12; call += 1) {
    await authorizeScope(credential, "read", pointSystemId);
    const find = () => findKeyedEntry(credential, pointSystemId, parseAddress(wallet) as Address);
    await find();
    await Promise.all([find(), find()]);
  }
  // PostgreSQL tries five plans for the values at hand before it decides.
  const once = { custom: 5, generic: 7 };
  const plans = await listPlans(undefined, 0);
  // Citus plans a read of a point system's rows at each call, to find their shard.
  if (process.env.TEST_ENGINE === "citus") expect(plans[0]).toEqual(once);
  else expect(plans).toEqual([once, once, once]);
});
