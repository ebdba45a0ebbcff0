import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import type { Executor } from "../../db/client";
import type { Address } from "../../domain/address";

/** Finds the addresses that are on the point system's blacklist, or that are linked to a wallet which is. */
export async function findBlacklisted(
  executor: Executor,
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<Set<Address>> {
  const found = new Set<Address>();
  for (const batch of toBatches(addresses)) {
    const rows = await executor.execute<{ address: Address }>(sql`
      select distinct '0x' || encode(q.address, 'hex') as address
      from unnest(${toArrayLiteral(batch.map(toBytea))}::bytea[]) as q(address)
      cross join lateral (
        select q.address
        union all
        select find_primary(${pointSystemId}::uuid, q.address)
        where exists (select 1 from wallet_links where point_system_id = ${pointSystemId}::uuid)
      ) held(address)
      cross join lateral (
        select address from blacklist
        where point_system_id = ${pointSystemId}::uuid and address = held.address limit 1
      ) b`);
    for (const { address } of rows) found.add(address);
  }
  return found;
}
