/** The image types of a logo. None of them can hold scripts or refer to other files, as SVG can. */
export type LogoType = "image/png" | "image/jpeg" | "image/webp";

export const LOGO_BYTES_MAX = 64 * 1024;
/** The most pixels of a logo's side. */
export const LOGO_SIDE_MAX = 2_048;
export const INTRO_LENGTH_MAX = 600;

const startsWith = (bytes: Uint8Array, ...start: readonly number[]) =>
  start.every((byte, i) => bytes[i] === byte);

/**
 * Finds an image's type by its first bytes. Returns null when it is not a type that a logo can
 * have.
 */
export function findLogoType(bytes: Uint8Array): LogoType | null {
  if (startsWith(bytes, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (startsWith(bytes, 0xff, 0xd8, 0xff)) return "image/jpeg";
  const isRiff = startsWith(bytes, 0x52, 0x49, 0x46, 0x46);
  if (isRiff && startsWith(bytes.subarray(8), 0x57, 0x45, 0x42, 0x50)) return "image/webp";
  return null;
}

/** The size of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads an image's size from its header: a few kilobytes can claim a picture that takes gigabytes
 * when a browser unpacks it.
 * @returns null when the header has no size
 */
export function readImageSize(bytes: Uint8Array, type: LogoType): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (type === "image/png") return { width: view.getUint32(16), height: view.getUint32(20) };
    return type === "image/jpeg" ? readJpegSize(view) : readWebpSize(view);
  } catch (error) {
    if (error instanceof RangeError) return null; // The header is cut off.
    throw error;
  }
}

/** Finds the frame header of a JPEG. Source: ITU-T T.81, B.1.1.3 and B.2.2. */
function readJpegSize(view: DataView): ImageSize | null {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at += 1; // Any number of fill bytes precedes a marker.
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return null;
}

/** Reads the first chunk of a WebP. Source: RFC 9649, 2.4 to 2.7. */
function readWebpSize(view: DataView): ImageSize | null {
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const getUint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (chunk === "VP8X") return { width: getUint24(24) + 1, height: getUint24(27) + 1 };
  if (chunk === "VP8 ") {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (chunk !== "VP8L") return null;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

type Rgb = readonly [red: number, green: number, blue: number];

/** The backgrounds on which an accent stands, by theme, as app/tailwind.css has them. */
const THEMES = {
  light: { grounds: [[243, 242, 239]], raised: [255, 255, 255], end: [0, 0, 0] },
  dark: { grounds: [[40, 40, 44]], raised: [29, 29, 32], end: [255, 255, 255] },
} as const satisfies Record<string, { grounds: readonly Rgb[]; raised: Rgb; end: Rgb }>;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The least contrast: WCAG 2.2 AA for text, and a little more for rounding. */
const CONTRAST_MIN = 4.6;
const STEPS = 50;

/** A point system's colours, as values of CSS variables. */
export interface BrandColors {
  /** The colour as text, by theme: darker or lighter than the brand's own, as far as needed. */
  readonly text: Readonly<Record<keyof typeof THEMES, string>>;
  /** The colour of surfaces, such as buttons: the brand's own. */
  readonly fill: string;
  /** A surface beneath the pointer: further away from its text. */
  readonly fillStrong: string;
  /** The text on surfaces: black or white, whichever has more contrast. It is 4.58 at least. */
  readonly onFill: string;
}

/** A point system as its public pages show it, with its brand. */
export interface PublicPointSystem {
  readonly id: string;
  readonly slug: string | null;
  readonly name: string;
  readonly intro: string | null;
  readonly accent: BrandColors | null;
  /** The logo as a `data:` URL. */
  readonly logoUrl: string | null;
}

/**
 * Makes the colours of a brand. Surfaces keep the colour itself. As text it keeps its hue, and is
 * legible on the backgrounds of both themes.
 * @param color `#` and six hexadecimal digits
 */
export function makeBrandColors(color: string): BrandColors {
  const own = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as never as Rgb;
  const isDark = getContrast(WHITE, own) >= getContrast(BLACK, own);
  return {
    text: { light: makeText(own, THEMES.light), dark: makeText(own, THEMES.dark) },
    fill: own.join(" "),
    fillStrong: mix(own, isDark ? BLACK : WHITE, 0.15).join(" "),
    onFill: (isDark ? WHITE : BLACK).join(" "),
  };
}

function makeText(own: Rgb, { grounds, raised, end }: (typeof THEMES)["light" | "dark"]): string {
  let text = own;
  for (let step = 1; step <= STEPS && !isLegible(text, grounds, raised); step += 1) {
    text = mix(own, end, step / STEPS);
  }
  return text.join(" ");
}

function isLegible(accent: Rgb, grounds: readonly Rgb[], raised: Rgb): boolean {
  // Badges stand on a background with a tenth of their own colour.
  return [...grounds, mix(raised, accent, 0.1)].every(
    (ground) => getContrast(accent, ground) >= CONTRAST_MIN,
  );
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  return from.map((value, i) => Math.round(value + ((to[i] ?? 0) - value) * part)) as never as Rgb;
}

/** Computes the contrast ratio of two colours. Source: WCAG 2.2, contrast ratio. */
export function getContrast(a: Rgb, b: Rgb): number {
  const [lighter = 0, darker = 0] = [getLuminance(a), getLuminance(b)].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

function getLuminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
