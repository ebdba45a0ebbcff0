import { and, eq, isNull, or, sql } from "drizzle-orm";
import { hotQuery } from "../../db/client";
import { pointSystemBrands, pointSystems } from "../../db/schema/point-systems";
import { Failure } from "../../domain/failure";
import { makeBrandColors, type PublicPointSystem } from "../../domain/point-systems/brand";
import { findSlug } from "../../domain/point-systems/slug";
import { parseUuid } from "../../domain/uuid";
import { createSingleFlightCache } from "../runtime/single-flight-cache";

// This module is public: every answer of it can be on a public page.

const KEEP_MS = 1_000;
const PAGES_KEPT_MAX = 200;

const selectPublicPointSystem = hotQuery((db) =>
  db
    .select({
      id: pointSystems.id,
      slug: pointSystems.slug,
      name: pointSystems.name,
      publicName: pointSystemBrands.publicName,
      intro: pointSystemBrands.intro,
      accentColor: pointSystemBrands.accentColor,
      logo: pointSystemBrands.logo,
      logoType: pointSystemBrands.logoType,
    })
    .from(pointSystems)
    .leftJoin(pointSystemBrands, eq(pointSystemBrands.pointSystemId, pointSystems.id))
    .where(
      and(
        or(
          eq(pointSystems.slug, sql.placeholder("slug")),
          eq(pointSystems.id, sql.placeholder("id")),
        ),
        isNull(pointSystems.deletedAt),
        eq(pointSystems.isSandbox, false),
      ),
    )
    .limit(2)
    .prepare("select_public_point_system"),
);

const keepPage = createSingleFlightCache<PublicPointSystem>({
  keepMs: KEEP_MS,
  entriesMax: PAGES_KEPT_MAX,
});

/**
 * Reads the point system of a public page, at most a second old. A sandbox has none.
 * @param key its slug in any letter case, or its id; an id is never read as a slug
 * @throws {Failure} `not_found`
 */
export async function getPublicPointSystem(key: string): Promise<PublicPointSystem> {
  const id = parseUuid(key);
  const slug = id ? null : findSlug(key);
  const kept = id ?? slug;
  if (kept === null) throw new Failure("not_found");
  return keepPage(kept, () => readPublicPointSystem({ id, slug }));
}

async function readPublicPointSystem(
  place: Readonly<Record<"id" | "slug", string | null>>,
): Promise<PublicPointSystem> {
  const [row] = await selectPublicPointSystem(place);
  if (!row) throw new Failure("not_found");
  const { publicName, accentColor, logo, logoType, ...system } = row;
  return {
    ...system,
    name: publicName ?? system.name,
    accent: accentColor === null ? null : makeBrandColors(accentColor),
    logoUrl: logo && logoType && `data:${logoType};base64,${Buffer.from(logo).toString("base64")}`,
  };
}
