import { and, asc, eq, ne, sql } from "drizzle-orm";
import { toArrayLiteral } from "../../db/array-literal";
import { inTransaction, type Transaction, withDatabase } from "../../db/client";
import { pointSystemBrands, triggers } from "../../db/schema/point-systems";
import type { LogoType } from "../../domain/point-systems/brand";
import { recordAudit } from "../access/audit-log";
import type { Member } from "../access/members";

/** The look of a point system on its public pages. */
export interface Brand {
  readonly publicName: string | null;
  readonly intro: string | null;
  readonly accentColor: string | null;
  readonly hasLogo: boolean;
}

/** The fields of the brand that the owner chooses. */
export interface BrandFields extends Omit<Brand, "hasLogo"> {
  /** Undefined keeps the current logo; null removes it. */
  readonly logo: { readonly bytes: Uint8Array; readonly type: LogoType } | null | undefined;
  /** The keys of the triggers that the public leaderboard names. */
  readonly publicTriggers: readonly string[];
}

/** A trigger that the public leaderboard can name. */
export interface ShowableTrigger {
  readonly key: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly isPublic: boolean;
}

const NO_BRAND: Brand = { publicName: null, intro: null, accentColor: null, hasLogo: false };

/** Reads the brand of a point system. */
export async function getBrand({ pointSystemId }: Member): Promise<Brand> {
  const [row] = await withDatabase((db) =>
    db
      .select({
        publicName: pointSystemBrands.publicName,
        intro: pointSystemBrands.intro,
        accentColor: pointSystemBrands.accentColor,
        logoType: pointSystemBrands.logoType,
      })
      .from(pointSystemBrands)
      .where(eq(pointSystemBrands.pointSystemId, pointSystemId)),
  );
  if (!row) return NO_BRAND;
  const { logoType, ...brand } = row;
  return { ...brand, hasLogo: logoType !== null };
}

/** Changes the brand of a point system. */
export async function updateBrand(
  { actor, pointSystemId }: Member<"owner">,
  { logo, publicTriggers, ...fields }: BrandFields,
): Promise<void> {
  const image =
    logo === undefined ? {} : { logo: logo?.bytes ?? null, logoType: logo?.type ?? null };
  await inTransaction(async (tx) => {
    await tx
      .insert(pointSystemBrands)
      .values({ pointSystemId, ...fields, ...image })
      .onConflictDoUpdate({
        target: pointSystemBrands.pointSystemId,
        set: { ...fields, ...image },
      });
    await showTriggers(tx, pointSystemId, publicTriggers);
    await recordAudit(tx, actor, {
      pointSystemId,
      action: "point_system.brand",
      subject: fields.publicName ?? "",
      after: {
        ...fields,
        publicTriggers,
        ...(logo !== undefined && { logo: logo?.type ?? null }),
      },
    });
  });
}

/** Lists the triggers of which the owner chooses those for the public leaderboard. */
export function listShowableTriggers({ pointSystemId }: Member): Promise<ShowableTrigger[]> {
  return withDatabase((db) =>
    db
      .select({
        key: triggers.key,
        name: triggers.name,
        isActive: triggers.isActive,
        isPublic: triggers.isPublic,
      })
      .from(triggers)
      .where(eq(triggers.pointSystemId, pointSystemId))
      .orderBy(asc(triggers.name), asc(triggers.key)),
  );
}

/** Shows these triggers on the public leaderboard, and no others. Unknown keys change nothing. */
async function showTriggers(tx: Transaction, pointSystemId: string, keys: readonly string[]) {
  const isChosen = sql`(${triggers.key} = any(${toArrayLiteral(keys)}::text[]))`;
  await tx
    .update(triggers)
    .set({ isPublic: isChosen })
    .where(and(eq(triggers.pointSystemId, pointSystemId), ne(triggers.isPublic, isChosen)));
}
