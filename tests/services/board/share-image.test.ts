import { randomBytes } from "node:crypto";
import { inflateSync } from "node:zlib";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { pointSystems } from "../../../app/db/schema/point-systems";
import { findLogoType, readImageSize } from "../../../app/domain/point-systems/brand";
import { getShareImage } from "../../../app/services/board/share-image";
import { grantPoints } from "../../../app/services/ledger/grants";
import { updateBrand } from "../../../app/services/point-systems/brands";
import { createOwner, failureOf } from "../../support/operators";
import { createAddress } from "../../support/scene";

/** Creates a point system with a public board in this colour. */
async function createBoard(accentColor: string, publicName: string) {
  const owner = await createOwner("Harbour");
  const slug = `harbour-${randomBytes(6).toString("hex")}`;
  await withDatabase((db) =>
    db.update(pointSystems).set({ slug }).where(eq(pointSystems.id, owner.pointSystemId)),
  );
  const brand = { publicName, intro: null, accentColor, logo: undefined, publicTriggers: [] };
  await updateBrand(owner, brand);
  return { owner, slug };
}

/** Reads the colour of a PNG's first pixel; in the first row every filter leaves it as it is. */
function readCorner(png: Buffer): number[] {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + length));
  }
  return [...inflateSync(Buffer.concat(parts)).subarray(1, 4)];
}

test("a public board has a picture of 1200 by 630 pixels in its brand's colour", async () => {
  const { owner, slug } = await createBoard("#ffd400", "Hafen Ω <b>&");
  await grantPoints(owner, { address: createAddress(), points: 5, note: null });
  const png = Buffer.from(await getShareImage(slug.toUpperCase()));
  expect(findLogoType(png)).toBe("image/png");
  expect(readImageSize(png, "image/png")).toEqual({ width: 1_200, height: 630 });
  expect(readCorner(png)).toEqual([255, 212, 0]);
  expect(png.length).toBeLessThan(100_000);
});

test("the letters of a name are in the picture, and those that the font lacks are the slug", async () => {
  const draw = async (name: string) => {
    const { slug } = await createBoard("#3f42c4", name);
    return Buffer.from(await getShareImage(slug));
  };
  const harbour = await draw("Harbour");
  const hafen = await draw("Hafen");
  const unknown = await draw("港");
  expect(harbour).not.toEqual(hafen);
  // The slug is longer.
  expect(unknown.length).toBeGreaterThan(hafen.length);
});

test("a picture is drawn once for all who ask for it", async () => {
  const { slug } = await createBoard("#3f42c4", "Harbour");
  const [first, second] = await Promise.all([getShareImage(slug), getShareImage(slug)]);
  expect(await getShareImage(slug)).toBe(first);
  expect(second).toBe(first);
});

test("a slug without a point system has no picture", async () => {
  expect(await failureOf(getShareImage("nowhere-at-all"))).toMatchObject({ code: "not_found" });
});
