import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { toBatches, toBytea } from "../../db/bulk";
import { type Executor, withDatabase } from "../../db/client";
import type { Address } from "../../domain/address";

/**
 * Finds the primary wallets of those addresses that are linked to one. Addresses that hold their own points are left
 * out.
 */
export async function findPrimaries(
  executor: Executor,
  pointSystemId: string,
  addresses: readonly Address[],
): Promise<Map<Address, Address>> {
  const found = new Map<Address, Address>();
  for await (const batch of toBatches(addresses)) {
    const rows = await executor.execute<{ address: Address; primaryAddress: Address }>(sql`
      select '0x' || encode(r.address, 'hex') as address, '0x' || encode(r.primary_address, 'hex') as "primaryAddress"
      from (
        select q.address, find_primary(${pointSystemId}::uuid, q.address) as primary_address
        from unnest(${toArrayLiteral(batch.map(toBytea))}::bytea[]) as q(address)
        where exists (select 1 from wallet_links where point_system_id = ${pointSystemId}::uuid)
      ) r
      where r.primary_address <> r.address`);
    for (const { address, primaryAddress } of rows) found.set(address, primaryAddress);
  }
  return found;
}

/** Finds the primary wallet of a linked one; nothing for any other, and for one that is blacklisted itself. */
export async function findPrimary(
  pointSystemId: string,
  address: Address,
): Promise<Address | undefined> {
  return (await withDatabase((db) => findPrimaries(db, pointSystemId, [address]))).get(address);
}
