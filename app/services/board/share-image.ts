import { createHash } from "node:crypto";
import { SHARED_WALLETS_MAX, type SharedBoard } from "../../domain/board/share-picture";
import { createDeadline } from "../../domain/deadline";
import { getPublicPointSystem } from "../point-systems/public-point-system";
import { createLimiter } from "../runtime/limiter";
import { createSingleFlightCache } from "../runtime/single-flight-cache";
import { runInThread } from "../runtime/threads";
import { getPublicBoard } from "./public-board";

// This module is public: every answer of it can be on a public page.

/** The age to which a picture is kept: those who ask for it keep it for days. */
const KEEP_MS = 10 * 60_000;
/** The most pictures kept; each has some 40 kB. */
const KEPT_MAX = 100;
/** The longest time that the drawing of one picture takes. */
const DRAW_MS_MAX = 15_000;

const keepImage = createSingleFlightCache<Uint8Array<ArrayBuffer>>({
  keepMs: KEEP_MS,
  entriesMax: KEPT_MAX,
});
/** A picture takes a part of a second of one core. */
const limitDrawing = createLimiter({ atOnceMax: 1, waitingMax: 20, waitMs: 10_000 });

/**
 * Draws the picture that messengers and social networks show beside a link to a public board: name,
 * colour and logo, the number of wallets, and the first three. It is a PNG, at most ten minutes old;
 * a change of name, colour or logo shows at once.
 * @throws {Failure} `not_found`; `service_unavailable` when too many pictures are asked for at once
 */
export async function getShareImage(typedSlug: string): Promise<Uint8Array<ArrayBuffer>> {
  const { id, slug, name, accent, logoUrl } = await getPublicPointSystem(typedSlug);
  const look = createHash("sha256")
    .update(JSON.stringify([slug, name, accent, logoUrl]))
    .digest("base64");
  return keepImage(`${id} ${look}`, () =>
    limitDrawing(async () => {
      const { leaderboard, pagination } = await getPublicBoard(slug ?? "", 1);
      const leaders = leaderboard.slice(0, SHARED_WALLETS_MAX);
      const board: SharedBoard = {
        ...{ slug: slug ?? "", name, accent, logoUrl },
        ...{ leaders, total: pagination.total },
      };
      using signal = createDeadline(DRAW_MS_MAX);
      const png = await runInThread("board/share-image-thread", { board }, signal);
      return png as Uint8Array<ArrayBuffer>;
    }),
  );
}
