import { existsSync } from "node:fs";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseAddress } from "./domain/address";
import { createScoreChainsSchema } from "./domain/scores/chain";

const SAFE_WEB_APP = "https://app.safe.global";
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** Treats a variable with an empty value as not set, as `.env` files do. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema);

const isSafeEndpoint = (url: string) =>
  url.startsWith("https:") || LOCAL_HOSTS.includes(new URL(url).hostname);

const endpoint = z
  .url({ protocol: /^https?$/, error: "must be an https:// URL" })
  .refine(isSafeEndpoint, "must be https:// unless it names this machine");

/** Reads several values that are joined by commas. */
const list = <T extends z.ZodType<unknown, string>>(schema: T) =>
  z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(schema));

const contract = z.string().transform((text, context) => {
  const address = parseAddress(text);
  if (address === null) context.addIssue({ code: "custom", message: "must be an address" });
  return address ?? z.NEVER;
});

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON" });
    return z.NEVER;
  }
});

const cidr = z.string().refine((text) => ipaddr.isValidCIDR(text) || ipaddr.isValid(text), {
  error: "must be addresses or CIDR ranges, joined by commas",
});

const origin = z
  .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
  .refine((url) => new URL(url).origin === url, "must be an origin: no path, no final slash")
  .refine(isSafeEndpoint, "must be https:// unless it names this machine");

const apiKey = z.string().regex(/^[\w-]{1,200}$/, "must be letters, digits, - and _");

const Environment = z.object({
  HOST: optional(z.string().default("127.0.0.1")),
  PORT: optional(z.coerce.number().int().min(0).max(65_535).default(3000)),
  DATA_DIR: optional(z.string().default(".data")),
  DATABASE_URL: optional(
    z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" }).optional(),
  ),
  IDEMPOTENCY_DAYS: optional(z.coerce.number().int().min(30).max(3_650).default(30)),
  DATABASE_CONNECTIONS_MAX: optional(z.coerce.number().int().min(3).max(500).default(10)),
  DRAIN_SECONDS: optional(z.coerce.number().int().min(0).max(300).optional()),
  APP_ORIGIN: optional(origin.optional()),
  OPEN_SIGNUP: optional(
    z
      .enum(["true", "false"], "must be true or false")
      .default("false")
      .transform((text) => text === "true"),
  ),
  TRUSTED_PROXIES: optional(list(cidr).default([])),
  WEB_CONCURRENCY: optional(z.coerce.number().int().min(1).max(64).default(1)),
  WORKER: optional(
    z
      .enum(["on", "off"], "must be on or off")
      .default("on")
      .transform((text) => text === "on"),
  ),
  WALLETCONNECT_PROJECT_ID: optional(
    z
      .string()
      .regex(/^[0-9a-f]{32}$/, "must be 32 hexadecimal characters")
      .optional(),
  ),
  SAFE_APP_ORIGIN: optional(
    z.union([z.literal("off").transform(() => []), list(origin)]).default([SAFE_WEB_APP]),
  ),
  METRICS_TOKEN: optional(
    z
      .string()
      .regex(/^[\w-]{32,200}$/, "must be 32 or more letters, digits, - and _")
      .optional(),
  ),
  RPC_URL_5031: optional(list(endpoint).optional()),
  RPC_URL_50312: optional(list(endpoint).optional()),
  RPC_URL_8453: optional(list(endpoint).optional()),
  RPC_URL_84532: optional(list(endpoint).optional()),
  PUBLIC_RPC_URL_5031: optional(endpoint.optional()),
  PUBLIC_RPC_URL_50312: optional(endpoint.optional()),
  PUBLIC_RPC_URL_8453: optional(endpoint.optional()),
  PUBLIC_RPC_URL_84532: optional(endpoint.optional()),
  CAMPAIGN_CONTRACT_5031: optional(contract.optional()),
  CAMPAIGN_CONTRACT_50312: optional(contract.optional()),
  CAMPAIGN_CONTRACT_8453: optional(contract.optional()),
  CAMPAIGN_CONTRACT_84532: optional(contract.optional()),
  RPC_URL_1: optional(list(endpoint).optional()),
  SCORE_CHAINS: optional(json.pipe(createScoreChainsSchema(endpoint)).optional()),
  SCORE_SERVICE_URL: optional(endpoint.optional()),
  ETHERSCAN_API_KEY: optional(apiKey.optional()),
  BLOCKSCOUT_API_KEY: optional(apiKey.optional()),
  LOG_LEVEL: optional(
    z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  ),
  GIFT_CARD_KEYS: optional(
    z
      .string()
      .regex(
        /^[a-z0-9]{1,16}:[0-9a-f]{64}(,[a-z0-9]{1,16}:[0-9a-f]{64})*$/,
        "must be ID:KEY pairs joined by commas, each KEY 64 hexadecimal characters",
      )
      .refine((keys) => !/:(.)\1{63}(,|$)/.test(keys), "must not be a placeholder")
      .optional(),
  ),
});

/** The checked settings of this process. */
export type Env = z.infer<typeof Environment>;

/**
 * Reads `.env` and the process's environment, which wins. No other code reads them.
 * @throws {Error} that names every bad variable and its problem
 */
export function readEnv(): Env {
  if (existsSync(".env")) process.loadEnvFile(".env");
  const result = Environment.safeParse(process.env);
  if (result.success) return result.data;
  const complaints = result.error.issues.map(
    (issue) => `  ${issue.path.join(".")}: ${issue.message}`,
  );
  throw new Error(`The environment is not right:\n${complaints.join("\n")}`);
}
