import { beforeAll, expect, test } from "vitest";
import { pipelinedQuery } from "../../../app/db/client";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { type Address, parseAddress } from "../../../app/domain/address";
import { authorizeScope } from "../../../app/services/access/authorization";
import { findKeyedEntry } from "../../../app/services/board/keyed-wallets";
import { foldRanks } from "../../../app/services/board/rank-counts";
import { loadFixture } from "../../../app/services/fixture/load-fixture";
import { createWorld } from "../../support/ranked-board";
import { createAddress, scene } from "../../support/scene";
import { extendDeadlines, other } from "../../support/test-database";

beforeAll(extendDeadlines);

const listPlans = pipelinedQuery("reads", (db) => ({
  execute: () =>
    db.$client.unsafe<{ generic: number; custom: number }[]>(`
      select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where statement like '%api_key_point_systems%' and statement not like '%pg_prepared_statements%'
      order by statement like '%wallets%', statement like '%unnest%'`),
}));

test.each([
  ["alone", 0],
  ["beside a far larger point system, whose statistics become known meanwhile", 20_000],
])(
  "the check of a key, and the entry of a wallet, are not planned at each call, %s",
  async (_, wallets) => {
    const { pointSystemId, token, wallet } = await scene();
    const large = await createWorld();
    const events = Array.from({ length: wallets }, () => ({
      ...{ address: createAddress(), points: 5, event: null },
    }));
    const system = { operator: large.operator, id: large.pointSystemId, name: "Large", events };
    await loadFixture({ pointSystems: [system] });
    while (await foldRanks(large.pointSystemId, 10_000));
    const credential = { tokenHash: hashApiKeyToken(token) };
    const plansBefore = await listPlans(undefined, 0);
    for (let call = 0; call < 30; call += 1) {
      if (call === 8) await other`analyze`;
      await authorizeScope(credential, "read", pointSystemId);
      const find = () => findKeyedEntry(credential, pointSystemId, parseAddress(wallet) as Address);
      await find();
      await Promise.all([find(), find()]);
    }
    const plans = await listPlans(undefined, 0);
    const made = plans.map(({ custom, generic }, i) => ({
      custom: custom - (plansBefore[i]?.custom ?? 0),
      generic: generic - (plansBefore[i]?.generic ?? 0),
    }));
    expect(made.length).toBe(3);
    for (const [i, { custom, generic }] of made.entries()) {
      expect(generic + custom).toBeGreaterThan(0);
      // Citus plans a read of a point system's rows at each call, to find their shard.
      if (process.env.TEST_ENGINE !== "citus") expect(custom).toBe(0);
      else if (i === 0) expect(custom).toBeLessThanOrEqual(5);
    }
  },
);
