/**
 * Gives how much a test does in `npm test`, and how much in `npm run test:deep`, which sets DEEP. A file that begins after
 * DEPTH_ENDS_AT, in milliseconds since 1970, does no more than in `npm test`.
 */
export const atDepth = (usual: number, deep: number): number =>
  process.env.DEEP && Date.now() < Number(process.env.DEPTH_ENDS_AT ?? Number.POSITIVE_INFINITY)
    ? deep
    : usual;
