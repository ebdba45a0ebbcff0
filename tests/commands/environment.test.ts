import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { readEnv, SETTINGS } from "../../app/env";

afterEach(() => vi.unstubAllEnvs());

/** Lists the complaints about these settings. */
function complain(env: Record<string, string>): string[] {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    readEnv();
    return [];
  } catch (error) {
    return (error as Error).message.split("\n");
  }
}

test("every bad value is named with its variable, all of them at once", () => {
  const [title, ...lines] = complain({
    APP_ORIGIN: "points.example.com",
    RPC_URL_8453: "https://one.example.com,base.example.com/key",
    RPC_URL_1: "mainnet",
    SAFE_APP_ORIGIN: "https://app.safe.global/x",
    SCORE_SERVICE_URL: "http://",
    DATABASE_URL: "postgres://points@db/points?sslmode=on&sslrootcert=/ca.pem",
    DATABASE_REPLICA_URLS: "postgres://a@db/points,postgres://points:50%@db/points",
    RPC_URL_8454: "https://base.example.com",
    CAMPAIGN_CONTRACT_1: "0x00",
    PUBLIC_RPC_URL_5031: "https://one.example.com,http://somnia.example.com",
    PORT: "http",
  });
  expect(title).toBe("The environment is not right:");
  expect(lines.map((line) => line.trim().split(":")[0]).sort()).toEqual([
    "APP_ORIGIN",
    "CAMPAIGN_CONTRACT_1",
    "DATABASE_REPLICA_URLS.1",
    "DATABASE_URL",
    "DATABASE_URL",
    "PORT",
    "PUBLIC_RPC_URL_5031.1",
    "RPC_URL_1.0",
    "RPC_URL_8453.1",
    "RPC_URL_8454",
    "SAFE_APP_ORIGIN.0",
    "SCORE_SERVICE_URL",
  ]);
  expect(lines).toContain("  APP_ORIGIN: must be an http:// or https:// URL");
  expect(lines).toContain("  RPC_URL_8453.1: must be an https:// URL");
  expect(lines).toContain(
    "  DATABASE_URL: sslrootcert is not read. Name a certificate's authority in NODE_EXTRA_CA_CERTS",
  );
  expect(lines.join("\n")).toMatch(/RPC_URL_8454: is no setting\. There are .*RPC_URL_8453,/);
});

test.each([
  ["PORT", " ", "must be a whole number from 0 to 65535"],
  ["PORT", "80811", "must be a whole number from 0 to 65535"],
  ["METRICS_PORT", "0x10", "must be a whole number from 1 to 65000"],
  ["DATABASE_REPLICA_LAG_SECONDS", "0.1", "must be a number from 0.5 to 300"],
  ["DATA_DIR", " ", "must not be blank"],
])("%s=%j is refused in a sentence", (name, value, sentence) => {
  expect(complain({ [name]: value })).toEqual([
    "The environment is not right:",
    `  ${name}: ${sentence}`,
  ]);
});

test.each([
  { DATABASE_REPLICA_LAG_SECONDS: "0.5", PORT: " 3000 ", DRAIN_SECONDS: "" },
  { APP_ORIGIN: "https://points.example.com", RPC_URL_1: "off", SAFE_APP_ORIGIN: "off" },
  { APP_ORIGIN: "http://localhost:3000", RPC_URL_8453: "https://a.example.com, http://[::1]:1" },
  { DATABASE_URL: "postgresql://a@b/c?sslmode=verify-full", RPC_URL_31337: "" },
])("right values are taken: %j", (env) => {
  expect(complain(env)).toEqual([]);
});

test("each setting is in .env.example and in the guide, by the name of one chain where chains are alike", () => {
  const names = new Set(SETTINGS.map((name) => name.replace(/_(5031|50312|84532)$/, "_8453")));
  const example = readFileSync(".env.example", "utf8");
  const shown = [...example.matchAll(/^(?:# )?([A-Z][A-Z\d_]+)=/gm)].map(([, name]) => name);
  expect(shown.sort()).toEqual([...names].sort());
  const guide = readFileSync("docs/operating.md", "utf8");
  const isTold = (name: string) => guide.includes(`\`${name.replace("_8453", "_<chainId>")}\``);
  expect([...names].filter((name) => !isTold(name))).toEqual([]);
});

test("the service reads its settings in one place", () => {
  const isRead = (file: string) => /process\.env\b/.test(readFileSync(file, "utf8"));
  const files = readdirSync("app", { recursive: true, encoding: "utf8" })
    .map((file) => path.join("app", file))
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("app/commands/"));
  expect(files.filter(isRead).sort()).toEqual([
    "app/components/dashboard/point-systems/trigger-snippet.tsx", // in a sample
    "app/db/embedded/processes.ts", // what PostgreSQL's processes get: PATH and the like
    "app/domain/reference/samples.ts", // in a sample
    "app/env.ts",
    "app/routes.ts", // whether this is development
  ]);
});

test("a .env that cannot be read is named", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "points-environment-"));
  const before = process.cwd();
  try {
    mkdirSync(path.join(folder, ".env"));
    process.chdir(folder);
    expect(complain({})).toEqual([
      ".env cannot be read. Make it a file that the user of this process may read, or remove it.",
    ]);
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
});
