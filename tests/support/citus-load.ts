import { createAddress, type scene } from "./scene";

type World = Awaited<ReturnType<typeof scene>>;

/** Credits that were asked for, by wallet: those that were acknowledged, and those whose outcome is unknown. */
export interface Book {
  readonly acknowledged: Map<string, number>;
  readonly unknown: Map<string, number>;
  refused: number;
}

/** Credits wallets of point systems until it is stopped, and keeps book of what was acknowledged. */
export function creditSteadily(worlds: readonly World[], callers = 12) {
  const books = worlds.map(
    (): Book => ({ acknowledged: new Map(), unknown: new Map(), refused: 0 }),
  );
  let isStopped = false;
  const work = Array.from({ length: callers }, async (_, i) => {
    for (let n = 0; !isStopped; n += 1) {
      const at = (i + n) % worlds.length;
      const [world, book] = [worlds[at], books[at]] as [World, Book];
      const walletAddress = createAddress();
      const { status, body } = await world.fire({ walletAddress });
      if (status === 200) book.acknowledged.set(walletAddress, body.pointsAdded ?? 10);
      else if (body?.error === "outcome_unknown") book.unknown.set(walletAddress, 10);
      else {
        book.refused += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  return {
    books,
    countRefused: () => books.reduce((sum, { refused }) => sum + refused, 0),
    count: () => books.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0),
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(work);
    },
  };
}

/** Lists the acknowledged credits that wallets do not have, and the points that were not asked for. */
export function findLost(
  { acknowledged, unknown }: Book,
  wallets: readonly { readonly address: string; readonly points: number }[],
) {
  const points = new Map(wallets.map((wallet) => [wallet.address, wallet.points]));
  return {
    lost: [...acknowledged].filter(([address, credited]) => points.get(address) !== credited),
    unasked: wallets.filter(
      ({ address, points }) => !acknowledged.has(address) && unknown.get(address) !== points,
    ),
  };
}
