import type { Sql, TransactionSql } from "postgres";
import { toArrayLiteral } from "../array-literal";
import type { ShardTables } from "./shard-functions";
import { ANCHORS, DISTRIBUTED_TABLES, REFERENCE_TABLES } from "./tables";

export interface Shard {
  readonly id: string;
  readonly anchor: string;
  readonly tables: ShardTables;
}

/** Lists the shards with their tables, in the order of shard_of. */
export async function listShards(pool: Sql | TransactionSql): Promise<readonly Shard[]> {
  const anchors = await pool<{ id: string; anchor: string }[]>`
    select get_shard_id_for_distribution_column(${ANCHORS}, point_system_id) as id, point_system_id as anchor
    from shard_anchors`;
  const rows = await pool<{ name: string; id: string; least: string | null }[]>`
    select logicalrelid::text as name, shardid as id, shardminvalue as least from pg_dist_shard
    where logicalrelid::text = any(${toArrayLiteral([...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ANCHORS])}::text[])`;
  const ofAnchors = rows
    .filter(({ name }) => name === ANCHORS)
    .sort((a, b) => Number(a.least) - Number(b.least));
  return ofAnchors.map(({ id, least }) => ({
    id,
    anchor: anchors.find((each) => each.id === id)?.anchor ?? "",
    tables: new Map(
      rows
        .filter((row) => row.least === null || row.least === least)
        .map((row) => [row.name, `${row.name}_${row.id}`]),
    ),
  }));
}
