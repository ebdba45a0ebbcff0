import { expect, test } from "vitest";
import {
  findLogoType,
  getContrast,
  type LogoType,
  makeBrandColors,
  readImageSize,
} from "../../../app/domain/point-systems/brand";
import {
  parseLogo,
  readBrandBody,
} from "../../../app/routes/dashboard/point-systems/brand.inputs.server";
import { codeOf } from "../../support/operators";

const parse = (shade: string) => shade.split(" ").map(Number) as [number, number, number];

test("a brand's colour is legible as text, and unchanged on surfaces, with legible text on it", () => {
  const colors = ["#000000", "#ffffff", "#ffcc00", "#ffd400", "#3f42c4", "#00ff00", "#ff0000"];
  const grounds = { light: [243, 242, 239], dark: [40, 40, 44] } as const;
  for (const color of [...colors, "#808080", "#757575", "#767676", "#777777"]) {
    const { text, fill, fillStrong, onFill } = makeBrandColors(color);
    for (const theme of ["light", "dark"] as const) {
      const contrast = getContrast(parse(text[theme]), grounds[theme]);
      expect(contrast, `${color} ${theme}`).toBeGreaterThanOrEqual(4.5);
    }
    const hex = parse(fill).map((part) => part.toString(16).padStart(2, "0"));
    expect(`#${hex.join("")}`).toBe(color);
    expect(getContrast(parse(fill), parse(onFill)), color).toBeGreaterThanOrEqual(4.5);
    expect(getContrast(parse(fillStrong), parse(onFill)), color).toBeGreaterThanOrEqual(4.5);
  }
  expect(makeBrandColors("#ffd400")).toMatchObject({ fill: "255 212 0", onFill: "0 0 0" });
  expect(makeBrandColors("#3f42c4")).toMatchObject({ onFill: "255 255 255" });
  expect(makeBrandColors("#3f42c4").text.light).toBe("63 66 196");
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

/** Images of one pixel, as encoders make them. */
const PIXELS = {
  png: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  lossyWebp: "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
  losslessWebp: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
  transparentWebp:
    "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
};

/** Makes the beginning of an image that claims a size. */
const CLAIMS: Record<string, (width: number, height: number) => Buffer> = {
  png(width, height) {
    const bytes = Buffer.from(PIXELS.png, "base64");
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  },
  jpeg: (width, height) => claimJpeg(0xc0, width, height),
  progressiveJpeg: (width, height) => claimJpeg(0xc2, width, height),
  lossyWebp(width, height) {
    const bytes = Buffer.from(PIXELS.lossyWebp, "base64");
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
    return bytes;
  },
  losslessWebp(width, height) {
    const bytes = Buffer.from(PIXELS.losslessWebp, "base64");
    bytes.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21);
    return bytes;
  },
  transparentWebp(width, height) {
    const bytes = Buffer.from(PIXELS.transparentWebp, "base64");
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
    return bytes;
  },
};

/** Makes a JPEG's beginning: two other segments and a fill byte before the frame. */
function claimJpeg(frame: number, width: number, height: number): Buffer {
  const other = [0xff, 0xe0, 0, 4, 0xff, 0xc0, 0xff, 0xc4, 0, 3, 9];
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  return Buffer.from([0xff, 0xd8, ...other, 0xff, 0xff, frame, 0, 17, 8, ...size, 3]);
}

test("an image's size is read from its header, whatever its format", () => {
  for (const [format, base64] of Object.entries(PIXELS)) {
    const bytes = Buffer.from(base64, "base64");
    const size = readImageSize(bytes, findLogoType(bytes) as LogoType);
    expect(size, format).toEqual({ width: 1, height: 1 });
  }
  for (const [format, claim] of Object.entries(CLAIMS)) {
    const bytes = claim(300, 2_047);
    const size = readImageSize(bytes, findLogoType(bytes) as LogoType);
    expect(size, format).toEqual({ width: 300, height: 2_047 });
    for (let length = 0; length < 20; length += 1) {
      expect(readImageSize(bytes.subarray(0, length), findLogoType(bytes) as LogoType)).toBeNull();
    }
  }
});

test("a logo of more than 2,048 pixels on a side is refused, however small its file is", () => {
  for (const [format, claim] of Object.entries(CLAIMS)) {
    const parse = (width: number, height: number) => () =>
      parseLogo(claim(width, height).toString("base64"));
    expect(parse(2_048, 2_048), format).not.toThrow();
    expect(parse(2_049, 1), format).toThrow("logo_too_many_pixels");
    expect(parse(1, 2_049), format).toThrow("logo_too_many_pixels");
  }
  const huge = CLAIMS.png?.(40_000, 40_000).toString("base64") as string;
  expect(() => parseLogo(huge)).toThrow("logo_too_many_pixels");
});

/** Posts the form of the look. */
function postLook(triggers: number, logoBytes: number): Promise<URLSearchParams> {
  const body = new FormData();
  for (let i = 0; i < triggers; i += 1) body.append("publicTriggers", `trigger-${i}`);
  body.append("logo", new File([new Uint8Array(logoBytes)], "logo.png"));
  return readBrandBody(new Request("http://service/", { method: "POST", body }));
}

test("the look is saved with every trigger that a point system can have", async () => {
  expect((await postLook(500, 10)).getAll("publicTriggers")).toHaveLength(500);
});

test("a logo of any size is refused as too large", async () => {
  for (const mib of [1, 5])
    expect(
      await codeOf(
        postLook(1, mib * 1024 * 1024).then((body) => parseLogo(body.get("logo") ?? "")),
      ),
    ).toBe("logo_too_large");
});
