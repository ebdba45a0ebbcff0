import { shortenAddress } from "../address";
import type { BrandColors } from "../point-systems/brand";
import { drawWalletMark } from "../wallet-mark";

// The picture of a public board that messengers and social networks show beside a link. It is an
// SVG here; a thread turns it into a PNG, since they take no SVG.

/** The size of the picture in pixels. */
export const SHARE_SIZE = { width: 1_200, height: 630 } as const;
/** The most wallets in the picture. */
export const SHARED_WALLETS_MAX = 3;

const FONT = "Inter Variable";
const MARGIN = 72;
const TITLE = { size: 76, sizeMin: 46, width: SHARE_SIZE.width - 2 * MARGIN } as const;
const NO_BRAND = { fill: "63 66 196", onFill: "255 255 255" };
const INK = "rgb(24,24,27)";
const INK_MUTED = "rgb(82,82,91)";
const ROW = { height: 92, top: 292 } as const;

/** The content of the picture. */
export interface SharedBoard {
  readonly slug: string;
  readonly name: string;
  /** Null for this service's own colour. */
  readonly accent: Pick<BrandColors, "fill" | "onFill"> | null;
  /** The logo as a `data:` URL; only PNG and JPEG are drawn. */
  readonly logoUrl: string | null;
  readonly total: number;
  readonly leaders: readonly {
    readonly rank: number;
    readonly address: string;
    readonly points: number;
  }[];
}

/** Formats a number in English: the readers of the picture are of any country. */
const format = (count: number) => new Intl.NumberFormat("en").format(count);

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeText = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "");

/**
 * Draws the picture.
 * @param measure returns the width of a text's SVG in pixels
 */
export function drawSharePicture(board: SharedBoard, measure: (svg: string) => number): string {
  const { fill, onFill } = board.accent ?? NO_BRAND;
  const [ground, text] = [fill, onFill].map((color) => `rgb(${color.replaceAll(" ", ",")})`);
  const hasLogo = /^data:image\/(?:png|jpeg);base64,[A-Za-z0-9+/=]+$/.test(board.logoUrl ?? "");
  return wrap(`
    <rect width="100%" height="100%" fill="${ground}"/>
    ${hasLogo ? `<image href="${board.logoUrl}" x="${MARGIN}" y="44" width="480" height="64" preserveAspectRatio="xMinYMid meet"/>` : ""}
    <g fill="${text}" stroke="${text}">${drawTitle(board.name, measure)}</g>
    <text x="${MARGIN}" y="252" font-size="34" fill="${text}">${summarize(board.total)}</text>
    <rect x="${MARGIN - 24}" y="${ROW.top}" width="${SHARE_SIZE.width - 2 * (MARGIN - 24)}" height="${Math.max(board.leaders.length, 1) * ROW.height + 16}" rx="28" fill="white"/>
    ${board.leaders.length > 0 ? board.leaders.map(drawRow).join("") : drawNobody()}`);
}

const wrap = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${SHARE_SIZE.width}" height="${SHARE_SIZE.height}" font-family="${FONT}">${content}</svg>`;

/** Draws the name in one line: smaller when it is long, then cut off. */
function drawTitle(name: string, measure: (svg: string) => number): string {
  const draw = (text: string, size: number) =>
    // The font has one weight here: an outline makes it bold.
    `<text x="${MARGIN}" y="186" font-size="${size}" stroke-width="${size * 0.03}" stroke-linejoin="round">${escapeText(text)}</text>`;
  const isWide = (text: string, size: number) => measure(wrap(draw(text, size))) > TITLE.width;
  if (!isWide(name, TITLE.size)) return draw(name, TITLE.size);
  if (!isWide(name, TITLE.sizeMin)) {
    const size = (TITLE.size * TITLE.width) / measure(wrap(draw(name, TITLE.size)));
    return draw(name, Math.max(Math.floor(size), TITLE.sizeMin));
  }
  const letters = [...name];
  let [fits, tooMany] = [0, letters.length];
  const cut = (count: number) => `${letters.slice(0, count).join("").trimEnd()}…`;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (isWide(cut(middle), TITLE.sizeMin)) tooMany = middle;
    else fits = middle;
  }
  return draw(cut(fits), TITLE.sizeMin);
}

const summarize = (total: number) =>
  `Leaderboard · ${format(total)} ${total === 1 ? "wallet" : "wallets"}`;

function drawRow({ rank, address, points }: SharedBoard["leaders"][number], index: number): string {
  const middle = ROW.top + 8 + (index + 0.5) * ROW.height;
  const baseline = middle + 12;
  const mark = drawWalletMark(address);
  const right = SHARE_SIZE.width - MARGIN - 8;
  return `
    ${index === 0 ? "" : `<rect x="${MARGIN}" y="${middle - ROW.height / 2}" width="${right + 8 - MARGIN}" height="2" fill="rgb(228,228,231)"/>`}
    <text x="${MARGIN + 24}" y="${baseline}" font-size="36" fill="${INK_MUTED}" text-anchor="middle">${format(rank)}</text>
    <clipPath id="mark${index}"><circle cx="3.5" cy="3.5" r="3.5"/></clipPath>
    <g transform="translate(${MARGIN + 72} ${middle - 28}) scale(8)" clip-path="url(#mark${index})">
      <rect width="7" height="7" fill="${mark.ground}"/>
      <path fill="${mark.ink}" d="${mark.path}"/>
    </g>
    <text x="${MARGIN + 152}" y="${baseline}" font-size="36" fill="${INK}">${escapeText(shortenAddress(address))}</text>
    <text x="${right}" y="${baseline}" font-size="36" fill="${INK}" stroke="${INK}" stroke-width="0.8" text-anchor="end">${format(points)} ${points === 1 ? "point" : "points"}</text>`;
}

const drawNobody = () =>
  `<text x="${SHARE_SIZE.width / 2}" y="${ROW.top + 8 + ROW.height / 2 + 12}" font-size="36" fill="${INK_MUTED}" text-anchor="middle">No wallets on the board yet</text>`;
