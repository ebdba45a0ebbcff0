import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import subsets from "@fontsource-variable/inter/unicode.json";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { findGlyphs } from "../../domain/board/glyphs";
import { drawSharePicture, type SharedBoard } from "../../domain/board/share-picture";

// The thread that share-image.ts starts. Loading this file elsewhere runs nothing.

const FONT = "Inter Variable";
/** The subset with the digits and the words that stand in every picture. */
const LATIN = "latin";

/** Reads a file that vite.config.ts puts beside the build; from its package where nothing is built. */
function readPart(folder: string, name: string): Promise<Uint8Array> {
  const built = new URL(`./share-image/${name}`, import.meta.url);
  return readFile(existsSync(built) ? built : path.resolve("node_modules", folder, name));
}

/** Turns the picture of a board into a PNG. */
async function renderBoard(board: SharedBoard): Promise<Uint8Array> {
  const name = findGlyphs(board.name, subsets);
  await initWasm(await readPart("@resvg/resvg-wasm", "index_bg.wasm"));
  const fontBuffers = await Promise.all(
    [...new Set([LATIN, ...name.files])].map((subset) =>
      readPart("@fontsource-variable/inter/files", `inter-${subset}-wght-normal.woff2`),
    ),
  );
  const font = { fontBuffers, defaultFontFamily: FONT, sansSerifFamily: FONT };
  const measure = (svg: string) => new Resvg(svg, { font }).getBBox()?.width ?? 0;
  const shown = { ...board, name: name.text || board.slug };
  return new Resvg(drawSharePicture(shown, measure), { font }).render().asPng();
}

if (!isMainThread && workerData?.task === "share-image-thread") {
  const png = await renderBoard(workerData.board as SharedBoard);
  parentPort?.postMessage(png);
}
