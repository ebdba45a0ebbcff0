import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import path from "node:path";
import { ensureProgram } from "../support/ensure-program";
import { findFreePort } from "../support/free-port";
import { waitUntil } from "../support/server-process";

/** A reverse proxy before servers of this machine. */
export interface Balancer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Reads an example of docs/operating.md. */
async function readExample(language: string): Promise<string> {
  const guide = await fs.readFile("docs/operating.md", "utf8");
  const [, example] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(guide) ?? [];
  if (!example) throw new Error(`docs/operating.md has no example of ${language}`);
  return example;
}

async function start(
  program: string,
  args: readonly string[],
  port: number,
  signal: NodeJS.Signals,
): Promise<Balancer> {
  ensureProgram(
    program,
    program === "nginx" ? "nginx-light" : program,
    `${program} is missing. Debian and Ubuntu, as root: apt-get install nginx-light haproxy`,
  );
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }, 30_000);
  return {
    url,
    async stop() {
      child.kill(signal);
      await exited;
    },
  };
}

/** Starts haproxy with the configuration of docs/operating.md, for two servers of this machine. */
export async function startHaproxy(
  folder: string,
  ports: readonly [number, number],
): Promise<Balancer> {
  const port = await findFreePort();
  const config = (await readExample("haproxy"))
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replace(/server one \S+/, `server one 127.0.0.1:${ports[0]}`)
    .replace(/server two \S+/, `server two 127.0.0.1:${ports[1]}`);
  const file = path.join(folder, "haproxy.cfg");
  await fs.writeFile(file, config);
  return start("haproxy", ["-f", file, "-db"], port, "SIGKILL");
}

/** Starts nginx with the configuration of docs/operating.md, without TLS, for servers of this machine. */
export async function startNginx(folder: string, ports: readonly number[]): Promise<Balancer> {
  const port = await findFreePort();
  const servers = ports.map((at) => `server 127.0.0.1:${at}`);
  const config = (await readExample("nginx"))
    .replace(/ {2}server 127\.0\.0\.1:3000(.*\n)/, (_, rest) => servers.join(rest) + rest)
    .replace(/listen 443 .*/, `listen 127.0.0.1:${port};`)
    .replace(/ {2}ssl_.*\n/g, "");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/nginx-${name};`)
    .join(" ");
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const frame = `${user} pid ${folder}/nginx.pid; daemon off; error_log stderr error; events {}`;
  const file = path.join(folder, "nginx.conf");
  await fs.writeFile(file, `${frame} http { access_log off; ${temporary}\n${config}}`);
  return start("nginx", ["-e", "stderr", "-c", file], port, "SIGTERM");
}
