import { createHash } from "node:crypto";

/** Times a fixed piece of work on one core: what this machine's times are worth elsewhere. */
export function measureFixedWorkMs() {
  const startedAt = performance.now();
  const hash = createHash("sha256");
  const block = Buffer.alloc(1024 * 1024);
  for (let i = 0; i < 256; i += 1) hash.update(block);
  hash.digest();
  let x = 1;
  for (let i = 0; i < 200_000_000; i += 1) x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
  return performance.now() - startedAt;
}
