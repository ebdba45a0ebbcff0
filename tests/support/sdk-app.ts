// An application of the SDK, as its users write one: tests/server/sdk.deep.test.ts type-checks it against the
// packed SDK, and runs it.
import {
  computeRoot,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PointsClient,
  RefusedCreditError,
  verifyProof,
} from "points-and-rewards-sdk";

const { BASE_URL = "", API_KEY, POINT_SYSTEM_ID: pointSystemId = "", WALLET = "" } = process.env;
const client = new PointsClient({ baseUrl: BASE_URL, apiKey: API_KEY });
const anybody = new PointsClient({ baseUrl: BASE_URL });
const call = { triggerKey: "daily_login", walletAddress: WALLET, pointSystemId };

const first = await client.creditPoints(call, { idempotencyKey: "order-1" });
const again = await client.creditPoints(call, { idempotencyKey: "order-1" });
const batch = await client.creditBatch({
  pointSystemId,
  items: [
    { triggerKey: "daily_login", walletAddress: `0x${"b".repeat(40)}`, metadata: { order: "2" } },
    { triggerKey: "no_such_trigger", walletAddress: WALLET },
  ],
});
const verdicts = batch.results.map((result) => (result.success ? result.pointsAdded : result.code));
const registered = await client.registerWallet({
  pointSystemId,
  walletAddress: `0x${"c".repeat(40)}`,
});

const ranks: Record<string, number> = {};
for await (const { address, rank } of client.eachWallet({ pointSystemId, limit: 1 })) {
  ranks[address] = rank;
}
const points: number[] = [];
for await (const event of client.eachEvent({ pointSystemId, limit: 1 })) points.push(event.points);
const boosted = await client.listActivity({ pointSystemId, include: "boost" });
const detailed = await client.listActivity({ pointSystemId, include: "metadata" });
const wallet = await client.getWallet({ pointSystemId, address: WALLET });
const everywhere = await client.getPoints({ address: WALLET });
const { rewards } = await client.listRewards({ pointSystemId });
const part = await client.listRewards({ pointSystemId, address: WALLET });

const { distributions } = await anybody.getClaimStatus({ pointSystemId, address: WALLET });
const share = distributions.find((entry) => entry.kind === "token");
if (!share) throw new Error("The wallet has no share");
const { onchainId, chainId } = share;
const { amount, merkleProof } = await anybody.getProof({ onchainId, chainId, address: WALLET });
const root = computeRoot({ address: WALLET, amount, merkleProof });
const isVerified = verifyProof({ address: WALLET, amount, merkleProof }, root);

const refusals: string[] = [];
const refuse = async (
  refused: () => Promise<unknown>,
  Class: abstract new (...args: never) => { readonly code: string; readonly requestId: unknown },
) => {
  try {
    await refused();
  } catch (error) {
    if (!(error instanceof Class) || typeof error.requestId !== "string") throw error;
    refusals.push(error.code);
  }
};
const other = "99999999-9999-4999-8999-999999999999";
await refuse(() => client.creditPoints({ ...call, triggerKey: "x" }), NotFoundError);
await refuse(() => client.creditPoints({ ...call, walletAddress: "0x1" }), InvalidRequestError);
await refuse(() => client.getLeaderboard({ pointSystemId: other }), PermissionError);
await refuse(
  () => client.getWallet({ pointSystemId, address: `0x${"d".repeat(40)}` }),
  NotFoundError,
);
await refuse(
  () => client.creditPoints({ ...call, walletAddress: `0x${"e".repeat(40)}` }),
  RefusedCreditError,
);

process.stdout.write(
  JSON.stringify({
    ...{ first, again, verdicts, registered, ranks, points, wallet, root, isVerified, refusals },
    metadata: detailed.activity.map(({ metadata }) => metadata),
    boosts: boosted.activity.map(({ boost }) => boost),
    systems: everywhere.pointSystems.length,
    rewards: rewards.length,
    eligible: part.rewards.eligible.length,
  }),
);
