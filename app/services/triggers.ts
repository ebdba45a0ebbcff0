import { asc, desc, eq } from "drizzle-orm";
import { withDatabase } from "../db/client";
import { triggers } from "../db/schema/point-systems";
import type { Member } from "./members";

export interface Trigger {
  readonly key: string;
  readonly name: string;
  readonly points: number;
  readonly isActive: boolean;
}

/** A point system's triggers, the active ones first. */
export function listTriggers(member: Member): Promise<Trigger[]> {
  return withDatabase((db) =>
    db
      .select({
        key: triggers.key,
        name: triggers.name,
        points: triggers.points,
        isActive: triggers.isActive,
      })
      .from(triggers)
      .where(eq(triggers.pointSystemId, member.pointSystemId))
      .orderBy(desc(triggers.isActive), asc(triggers.name), asc(triggers.key)),
  );
}
