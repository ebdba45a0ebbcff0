import { sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { changeForAll } from "../../db/citus/shard-query";
import { withDatabase } from "../../db/client";
import type { StoredSecrets } from "./secrets";

/** The time after which another process takes an endpoint over. */
export const LEASE_S = 20;

/** The kinds of endpoints by their last attempt: one that failed is `failing`, also if it took long. */
export type TurnKind = "quick" | "slow" | "failing";

/** An endpoint whose turn it is. */
export interface Turn extends StoredSecrets {
  readonly url: string;
  /** The owner of its point system. */
  readonly ownerId: string;
  readonly lease: string;
  readonly dueAt: string;
  readonly failures: number;
}

/**
 * Claims endpoints of a kind that are due, the one that is due the longest first.
 * @param slow the ids of those whose last attempt took long
 * @param busy the ids of owners whose endpoints are left out
 */
export async function claimTurns(
  kind: TurnKind,
  slow: readonly string[],
  busy: readonly string[],
  most: number,
): Promise<Turn[]> {
  const isOfKind =
    kind === "failing"
      ? sql`c.failures > 0`
      : sql`c.failures = 0 and (c.id = any(${toArrayLiteral(slow)}::uuid[])) = ${kind === "slow"}`;
  const turns = await withDatabase((db) =>
    changeForAll<{ [Key in keyof Turn]: Turn[Key] }>(
      db,
      sql`
      update webhook_endpoints e
      set lease = gen_random_uuid(), leased_until = now() + make_interval(secs => ${LEASE_S})
      from (
        select c.point_system_id, c.id, p.operator_id from webhook_endpoints c
        join point_systems p on p.id = c.point_system_id and p.deleted_at is null
        where c.off_at is null and c.due_at <= now()
          and (c.leased_until is null or c.leased_until < now())
          and ${isOfKind} and p.operator_id <> all(${toArrayLiteral(busy)}::uuid[])
          and (
            exists (
              select 1 from webhook_deliveries d
              where d.point_system_id = c.point_system_id and d.endpoint_id = c.id
                and d.state = 'waiting'
            )
            or c.event_types && array['points.credited', 'points.voided'] and exists (
              select 1 from point_events v
              where v.point_system_id = c.point_system_id and v.seq > c.ledger_seq and v.moved_events is null
            )
          )
        order by c.due_at limit ${most}
        for update of c skip locked
      ) due
      where e.point_system_id = due.point_system_id and e.id = due.id
      returning e.point_system_id as "pointSystemId", e.id, e.url, due.operator_id as "ownerId",
        e.lease, e.due_at::text as "dueAt", e.failures,
        e.secret_ciphertext as ciphertext, e.secret_nonce as nonce, e.secret_key_id as "keyId",
        case when e.former_until > now() then e.former_ciphertext end as "formerCiphertext",
        case when e.former_until > now() then e.former_nonce end as "formerNonce",
        case when e.former_until > now() then e.former_key_id end as "formerKeyId"`,
    ),
  );
  return turns.map((turn) => ({
    ...turn,
    ciphertext: toBytes(turn.ciphertext),
    nonce: toBytes(turn.nonce),
    formerCiphertext: toBytes(turn.formerCiphertext),
    formerNonce: toBytes(turn.formerNonce),
  }));
}

/** Reads bytes, which come as text from a shard of Citus. */
function toBytes<Bytes extends Uint8Array | null>(bytes: Bytes): Bytes {
  const text: unknown = bytes;
  return typeof text === "string"
    ? (Buffer.from(text.slice(2), "hex") as Uint8Array as Bytes)
    : bytes;
}
