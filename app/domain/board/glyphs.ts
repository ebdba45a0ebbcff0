/** The Unicode ranges of a font's files by their names, as in CSS: `U+0000-00FF,U+0131`. */
export type GlyphRanges = Readonly<Record<string, string>>;

/** A text as a font can show it, and the files that it needs. */
interface Glyphs {
  readonly text: string;
  readonly files: readonly string[];
}

/** Controls, and marks that change the direction or the look of letters: they have no glyph. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/** Leaves out the letters of a text that a font lacks. */
export function findGlyphs(text: string, ranges: GlyphRanges): Glyphs {
  const parsed = Object.entries(ranges).map(([file, list]) => ({ file, spans: parseRanges(list) }));
  const files = new Set<string>();
  const shown = [...text.normalize("NFC")].filter((letter) => {
    const code = letter.codePointAt(0) ?? 0;
    const having = parsed.find(({ spans }) =>
      spans.some(([first, last]) => first <= code && code <= last),
    );
    if (!having || INVISIBLE.test(letter)) return false;
    files.add(having.file);
    return true;
  });
  return { text: shown.join("").replace(/\s+/gu, " ").trim(), files: [...files] };
}

function parseRanges(list: string): (readonly [first: number, last: number])[] {
  return list.split(",").map((range) => {
    const [first = "", last = first] = range.replace("U+", "").split("-");
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
  });
}
