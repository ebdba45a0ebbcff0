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
  for await (const batch of toBatches(addresses)) {
    const rows = await executor.execute<{ address: Address }>(sql`
      select '0x' || encode(address, 'hex') as address
      from find_blacklisted(${pointSystemId}::uuid, ${toArrayLiteral(batch.map(toBytea))}::bytea[])`);
    for (const { address } of rows) found.add(address);
  }
  return found;
}
