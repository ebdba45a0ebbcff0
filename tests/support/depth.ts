/** Gives how much a test does in `npm test`, and how much in `npm run test:deep`, which sets DEEP. */
export const atDepth = (usual: number, deep: number): number => (process.env.DEEP ? deep : usual);
