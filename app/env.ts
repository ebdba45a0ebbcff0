import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseAddress } from "./domain/address";
import { createScoreChainsSchema } from "./domain/scores/chain";

const ENV_FILE = ".env";
const SAFE_WEB_APP = "https://app.safe.global";
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** Treats a variable with an empty value as not set, as `.env` files do. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema);

/** Reads a text that another rule may have refused already: rules that follow it run all the same. */
const parseUrl = (text: string) => (URL.canParse(text) ? new URL(text) : null);

const isEncrypted = (text: string, exempt: readonly string[] = LOCAL_HOSTS) => {
  const url = parseUrl(text);
  return url === null || url.protocol === "https:" || exempt.includes(url.hostname);
};

/** The machine's addresses in its networks: a call to one of them does not leave it either. */
const OWN_HOSTS = Object.values(networkInterfaces()).flatMap((addresses) =>
  (addresses ?? []).map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
);

const endpoint = z
  .url({ protocol: /^https?$/, error: "must be an https:// URL" })
  .refine(
    (url) => isEncrypted(url, [...LOCAL_HOSTS, ...OWN_HOSTS]),
    "must be https:// unless it names this machine",
  );

/** Reads a number that is written in digits. `Number` alone takes a blank text as 0. */
const number = (min: number, max: number, digits = /^\d+$/) => {
  const error = `must be a ${digits.test("0.5") ? "" : "whole "}number from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(digits, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error));
};

const filled = z.string().regex(/\S/, "must not be blank");

const split = (text: string) => text.split(",").map((part) => part.trim());

/** Reads several values that are joined by commas. */
const list = <T extends z.ZodType<unknown, string>>(schema: T) =>
  z.string().transform(split).pipe(z.array(schema));

/** Reads a list, which `off` leaves empty. */
const listOrOff = <T extends z.ZodType<unknown, string>>(schema: T) =>
  z
    .string()
    .transform((text) => (text === "off" ? [] : split(text)))
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
  .refine(
    (url) => [url, undefined].includes(parseUrl(url)?.origin),
    "must be an origin: no path, no final slash",
  )
  .refine((url) => isEncrypted(url), "must be https:// unless it names this machine");

const onOrOff = z
  .enum(["on", "off"], "must be on or off")
  .default("on")
  .transform((text) => text === "on");
const apiKey = z.string().regex(/^[\w-]{1,200}$/, "must be letters, digits, - and _");

/** The modes of libpq. All but `disable` are verified TLS here. */
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

const databaseUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" })
  .superRefine((text, context) => {
    const url = parseUrl(text);
    try {
      decodeURIComponent(`${url?.username}${url?.password}${url?.pathname}`);
    } catch {
      const message = "must have %25 for a % in its user, password or database";
      context.addIssue({ code: "custom", message });
    }
    for (const [name, value] of url?.searchParams ?? []) {
      if (name === "sslmode" && !SSL_MODES.includes(value)) {
        context.addIssue({ code: "custom", message: `sslmode must be ${SSL_MODES.join(", ")}` });
      } else if (name.startsWith("ssl") && name !== "sslmode") {
        const message = `${name} is not read. Name a certificate's authority in NODE_EXTRA_CA_CERTS`;
        context.addIssue({ code: "custom", message });
      }
    }
  });

const Environment = z.object({
  HOST: optional(filled.default("127.0.0.1")),
  PORT: optional(number(0, 65_535).default(3000)),
  DATA_DIR: optional(filled.default(".data")),
  DATABASE: optional(z.enum(["embedded", "url"], "must be embedded or url").optional()),
  DATABASE_URL: optional(databaseUrl.optional()),
  DATABASE_REPLICA_URLS: optional(list(databaseUrl).default([])),
  DATABASE_REPLICA_LAG_SECONDS: optional(number(0.5, 300, /^\d+(\.\d+)?$/).default(5)),
  DATABASE_TLS: optional(z.enum(["verify", "off"], "must be verify or off").default("verify")),
  IDEMPOTENCY_DAYS: optional(number(30, 3_650).default(30)),
  DATABASE_CONNECTIONS_MAX: optional(number(3, 500).default(12)),
  DRAIN_SECONDS: optional(number(0, 300).optional()),
  APP_ORIGIN: optional(origin.optional()),
  SECURITY_CONTACT: optional(
    z
      .string()
      .max(500)
      .regex(/^(?:mailto:[^\s@]{1,200}@[^\s@]{1,250}|https:\/\/\S+)$/, {
        error: "must be a mailto: address or an https:// URL",
      })
      .optional(),
  ),
  OPEN_SIGNUP: optional(
    z
      .enum(["true", "false"], "must be true or false")
      .default("false")
      .transform((text) => text === "true"),
  ),
  TRUSTED_PROXIES: optional(list(cidr).default([])),
  WEB_CONCURRENCY: optional(number(1, 64).default(1)),
  WORKER: optional(onOrOff),
  REQUEST_LOG: optional(onOrOff),
  WALLETCONNECT_PROJECT_ID: optional(
    z
      .string()
      .regex(/^[0-9a-f]{32}$/, "must be 32 hexadecimal characters")
      .optional(),
  ),
  SAFE_APP_ORIGIN: optional(listOrOff(origin).default([SAFE_WEB_APP])),
  METRICS_HOST: optional(filled.default("127.0.0.1")),
  METRICS_PORT: optional(number(1, 65_000).optional()),
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
  PUBLIC_RPC_URL_5031: optional(list(endpoint).optional()),
  PUBLIC_RPC_URL_50312: optional(list(endpoint).optional()),
  PUBLIC_RPC_URL_8453: optional(list(endpoint).optional()),
  PUBLIC_RPC_URL_84532: optional(list(endpoint).optional()),
  PAYMASTER_URL_5031: optional(endpoint.optional()),
  PAYMASTER_URL_50312: optional(endpoint.optional()),
  PAYMASTER_URL_8453: optional(endpoint.optional()),
  PAYMASTER_URL_84532: optional(endpoint.optional()),
  CAMPAIGN_CONTRACT_5031: optional(contract.optional()),
  CAMPAIGN_CONTRACT_50312: optional(contract.optional()),
  CAMPAIGN_CONTRACT_8453: optional(contract.optional()),
  CAMPAIGN_CONTRACT_84532: optional(contract.optional()),
  RPC_URL_1: optional(listOrOff(endpoint).optional()),
  SCORE_CHAINS: optional(json.pipe(createScoreChainsSchema(endpoint)).optional()),
  SCORE_SERVICE_URL: optional(endpoint.optional()),
  ETHERSCAN_API_KEY: optional(apiKey.optional()),
  BLOCKSCOUT_API_KEY: optional(apiKey.optional()),
  WEBHOOK_ALLOW_PRIVATE: optional(list(cidr).default([])),
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

/** The name of every setting. */
export const SETTINGS: readonly string[] = Object.keys(Environment.shape);

/** The checked settings of this process. */
export type Env = z.infer<typeof Environment>;

/** Settings of one chain each. */
const OF_A_CHAIN = /^(?:PUBLIC_RPC_URL|RPC_URL|PAYMASTER_URL|CAMPAIGN_CONTRACT)_/;

/** Lists the settings of chains that this service does not know. */
function listUnknownChains(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env)
    .filter(([name, value]) => value && OF_A_CHAIN.test(name) && !(name in Environment.shape))
    .map(([name]) => {
      const [prefix = ""] = OF_A_CHAIN.exec(name) ?? [];
      const known = Object.keys(Environment.shape).filter((other) => other.startsWith(prefix));
      return `  ${name}: is no setting. There are ${known.join(", ")}`;
    });
}

function loadEnvFile(): void {
  if (!existsSync(ENV_FILE)) return;
  try {
    process.loadEnvFile(ENV_FILE);
  } catch (error) {
    // Node's own error says that there is no such file, whatever the reason.
    throw new Error(
      `${ENV_FILE} cannot be read. Make it a file that the user of this process may read, or remove it.`,
      { cause: error },
    );
  }
}

/**
 * Reads `.env` and the process's environment, which wins. No other code reads them.
 * @throws {Error} that names every bad variable and its problem
 */
export function readEnv(): Env {
  loadEnvFile();
  const result = Environment.safeParse(process.env);
  const complaints = listUnknownChains(process.env);
  if (result.success && complaints.length === 0) return withTls(result.data);
  for (const { path, message } of result.error?.issues ?? []) {
    complaints.push(`  ${path.join(".")}: ${message}`);
  }
  throw new Error(`The environment is not right:\n${complaints.join("\n")}`);
}

/** Writes `DATABASE_TLS=off` into the databases' addresses, where every connection finds it. */
function withTls(env: Env): Env {
  if (env.DATABASE_TLS === "verify") return env;
  const withoutTls = (text: string) => {
    const url = new URL(text);
    url.searchParams.set("sslmode", "disable");
    return url.href;
  };
  return {
    ...env,
    DATABASE_URL: env.DATABASE_URL && withoutTls(env.DATABASE_URL),
    DATABASE_REPLICA_URLS: env.DATABASE_REPLICA_URLS.map(withoutTls),
  };
}
