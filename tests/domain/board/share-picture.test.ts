import { describe, expect, test } from "vitest";
import { findGlyphs } from "../../../app/domain/board/glyphs";
import { drawSharePicture, type SharedBoard } from "../../../app/domain/board/share-picture";
import { makeBrandColors } from "../../../app/domain/point-systems/brand";

const BOARD: SharedBoard = {
  slug: "harbour",
  name: "Harbour",
  accent: makeBrandColors("#ffd400"),
  logoUrl: null,
  total: 1_234,
  leaders: [
    { rank: 1, address: `0x${"1".repeat(40)}`, points: 1 },
    { rank: 2, address: `0x${"2".repeat(40)}`, points: 1_000_000 },
  ],
};
/** Measures as if every letter were half as wide as high. */
const measure = (svg: string) => {
  const [, size = "", text = ""] = /font-size="([\d.]+)"[^>]*>([^<]*)<\/text>/.exec(svg) ?? [];
  return (Number(size) * text.length) / 2;
};
const titleOf = (svg: string) =>
  /y="186" font-size="([\d.]+)"[^>]*>([^<]*)</.exec(svg)?.slice(1) ?? [];

describe("the picture of a board", () => {
  test("has the brand's colours, the number of wallets, and the first of them", () => {
    const svg = drawSharePicture(BOARD, measure);
    expect(svg).toContain(`<rect width="100%" height="100%" fill="rgb(255,212,0)"/>`);
    expect(svg).toContain(`<g fill="rgb(0,0,0)"`);
    expect(svg).toContain("Leaderboard · 1,234 wallets");
    expect(svg).toContain("1 point<");
    expect(svg).toContain("1,000,000 points<");
  });

  test("says that a board is empty", () => {
    const svg = drawSharePicture({ ...BOARD, total: 0, leaders: [] }, measure);
    expect(svg).toContain("No wallets on the board yet");
  });

  test("keeps an operator's text as text", () => {
    const name = `<image a="'"/>&`;
    const svg = drawSharePicture({ ...BOARD, name }, measure);
    expect(svg).not.toContain("<image");
    expect(svg).toContain("&lt;image a=&quot;&#39;&quot;/&gt;&amp;");
  });

  test("draws a logo of PNG or JPEG, and nothing that refers to something else", () => {
    const draw = (logoUrl: string) => drawSharePicture({ ...BOARD, logoUrl }, measure);
    expect(draw("data:image/png;base64,AAAA")).toContain(
      `<image href="data:image/png;base64,AAAA"`,
    );
    for (const logoUrl of [
      "https://x/a.png",
      "data:image/svg+xml;base64,AAAA",
      'data:image/png;base64,A"',
    ]) {
      expect(draw(logoUrl), logoUrl).not.toContain("<image");
    }
  });

  test("makes a long name smaller, and cuts off a longer one", () => {
    expect(titleOf(drawSharePicture(BOARD, measure))).toEqual(["76", "Harbour"]);
    const [size] = titleOf(drawSharePicture({ ...BOARD, name: "x".repeat(36) }, measure));
    expect(Number(size)).toBeGreaterThanOrEqual(46);
    expect(Number(size)).toBeLessThan(76);
    const [, text = ""] = titleOf(drawSharePicture({ ...BOARD, name: "x".repeat(100) }, measure));
    expect(text).toMatch(/^x{30,99}…$/);
    expect((text.length * 46) / 2).toBeLessThanOrEqual(1_056);
  });
});

describe("the glyphs of a text", () => {
  const RANGES = { latin: "U+0000-00FF,U+2000-206F,U+FEFF", greek: "U+0370-03FF" };

  test("are found with the font's files that have them", () => {
    expect(findGlyphs("Añ Ω", RANGES)).toEqual({ text: "Añ Ω", files: ["latin", "greek"] });
  });

  test("leave out letters that the font lacks, and marks that no eye sees", () => {
    expect(findGlyphs("日本 Harbour 🚢", RANGES).text).toBe("Harbour");
    expect(findGlyphs("a\u202eb\u200b\ufeff\u0000c", RANGES).text).toBe("abc");
    expect(findGlyphs("港", RANGES)).toEqual({ text: "", files: [] });
  });
});
