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
