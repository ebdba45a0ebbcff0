import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const CONFIGURATION = [
  "biome.json",
  "package.json",
  "postcss.config.js",
  "tailwind.config.ts",
  "tsconfig.json",
  "tests/long-files.mjs",
  "vite.config.ts",
];
let copy: string;

beforeAll(async () => {
  copy = await fs.mkdtemp(path.join(os.tmpdir(), "points-layers-"));
  for (const name of ["app", "drizzle", "public", ...CONFIGURATION]) {
    await fs.cp(name, path.join(copy, name), { recursive: true });
  }
  await fs.symlink(path.resolve("node_modules"), path.join(copy, "node_modules"));
  await run("git", ["init", "-q"], { cwd: copy });
});
afterAll(() => fs.rm(copy, { recursive: true, force: true }));

test("the client build fails when a browser module imports server code, and names both", async () => {
  const target = path.join(copy, "app/components/page/nonce.tsx");
  const text = await fs.readFile(target, "utf8");
  await fs.writeFile(
    target,
    `import { sanitizeTriggerKey } from "../../domain/point-systems/trigger-key";
import { boardOrder } from "../../services/board/ranking";
${text}
export const leak = sanitizeTriggerKey(String(boardOrder));
`,
  );
  const build = run(path.resolve("node_modules/.bin/remix"), ["vite:build"], {
    cwd: copy,
    env: { ...process.env, NODE_ENV: "production", VITEST: "" },
  });
  await expect(build).rejects.toMatchObject({
    stderr: expect.stringContaining(
      "app/components/page/nonce.tsx goes to the browser: it imports app/services/board/ranking.ts",
    ),
  });
});
