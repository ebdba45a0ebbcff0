import { expect, test } from "vitest";
import { findLogoType, getContrast, shadeAccent } from "../../../app/domain/point-systems/brand";

const parse = (shade: string) => shade.split(" ").map(Number) as [number, number, number];

test("any accent is legible in both themes, as text and beneath text", () => {
  const colors = ["#000000", "#ffffff", "#ffcc00", "#3f42c4", "#00ff00", "#ff0000", "#808080"];
  const grounds = { light: [243, 242, 239], dark: [40, 40, 44] } as const;
  for (const color of colors) {
    const shades = shadeAccent(color);
    for (const theme of ["light", "dark"] as const) {
      const { accent, strong, onAccent } = shades[theme];
      const text = `${color} ${theme}`;
      expect(getContrast(parse(accent), grounds[theme]), text).toBeGreaterThanOrEqual(4.5);
      expect(getContrast(parse(accent), parse(onAccent)), text).toBeGreaterThanOrEqual(4.5);
      expect(getContrast(parse(strong), parse(onAccent)), text).toBeGreaterThanOrEqual(4.5);
    }
  }
  expect(shadeAccent("#3f42c4").light.accent).toBe("63 66 196");
});

test("a logo is what its bytes say, and no image that could hold a script", () => {
  const start = (...bytes: number[]) => Uint8Array.from([...bytes, ...new Array(20).fill(0)]);
  expect(findLogoType(start(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a))).toBe("image/png");
  expect(findLogoType(start(0xff, 0xd8, 0xff))).toBe("image/jpeg");
  expect(findLogoType(Buffer.from("RIFF....WEBPVP8 "))).toBe("image/webp");
  for (const text of ["<svg/>", "<?xml version='1.0'?><svg/>", "GIF89a", "", "RIFF....WAVE"]) {
    expect(findLogoType(Buffer.from(text)), text).toBeNull();
  }
});
