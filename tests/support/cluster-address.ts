/** The address of a PostgreSQL: connection options without a database. */
export interface ClusterAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/**
 * Reads TEST_DATABASE_URL or BENCH_DATABASE_URL: a PostgreSQL whose role may create databases.
 * @param text a URL; its parameter `host` names the folder of a Unix socket
 */
export function readClusterAddress(text: string): ClusterAddress {
  const url = new URL(text);
  return {
    host: url.searchParams.get("host") ?? url.hostname,
    port: Number(url.port || 5432),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

/** Formats the address of a database as a `DATABASE_URL`, with what its connections start with. */
export function formatDatabaseUrl(
  { host, port, username, password, database }: ClusterAddress & { readonly database: string },
  settings: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(`postgres://localhost:${port}/${database}`);
  url.username = username;
  url.password = password;
  url.search = new URLSearchParams({ host, ...settings }).toString();
  return url.href;
}
