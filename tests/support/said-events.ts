import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { withDatabase } from "../../app/db/client";
import { WEBHOOK_EVENT_TYPE_NAMES } from "../../app/domain/webhooks/events";
import type { Member } from "../../app/services/access/members";
import { createWebhook } from "../../app/services/webhooks/endpoints";

/** Creates a webhook for every event of a point system. It needs the keys of gift cards. */
export async function listen(member: Parameters<typeof createWebhook>[0]) {
  const id = randomUUID();
  const url = new URL("https://example.com/hook");
  const { secret } = await createWebhook(member, { id, url, eventTypes: WEBHOOK_EVENT_TYPE_NAMES });
  return { id, secret };
}

/** Lists what waits for a point system's webhook, beside the ledger. */
export async function listSaid({ pointSystemId }: Pick<Member, "pointSystemId">) {
  const rows = await withDatabase((db) =>
    db.execute<{ type: string; data: object }>(sql`
      select type, data from webhook_deliveries where point_system_id = ${pointSystemId} order by seq`),
  );
  return rows.map(({ type, data }) => [type, data] as const);
}
