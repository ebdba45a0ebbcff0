import fs from "node:fs/promises";
import { BlockList } from "node:net";
import path from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findFreePort } from "../support/free-port";
import { hasPostgres15, startPostgres15 } from "../support/postgres-15";
import { cleanUps } from "../support/seeded-server";
import { fireOverHttp, SMALL_FIXTURE, waitUntil } from "../support/server-process";
import { canBuildImages, createBuilder, type ImageConfig } from "./image";

const IMAGE = "localhost/points-and-rewards";
const isTested = await canBuildImages();
const readCompose = async () =>
  parse(await fs.readFile("deploy/compose.yaml", "utf8"), { merge: true });

test("the address of the compose file's proxy is none that a container without one of its own gets", async () => {
  const { services, networks } = await readCompose();
  const address = services.proxy.networks.inside.ipv4_address;
  expect(services.app.environment.TRUSTED_PROXIES).toBe(`${address}/32`);
  const [{ subnet, ip_range }] = networks.inside.ipam.config;
  const isIn = (range: string) => {
    const list = new BlockList();
    const [start = "", bits] = range.split("/");
    list.addSubnet(start, Number(bits));
    return list.check(address);
  };
  expect([isIn(subnet), isIn(ip_range ?? subnet)]).toEqual([true, false]);
});

describe.skipIf(!isTested)("the image", () => {
  let builder: Awaited<ReturnType<typeof createBuilder>>;
  let config: ImageConfig;

  beforeAll(async () => {
    builder = await createBuilder();
    config = await builder.build(await builder.makeBase(), IMAGE);
    console.log(`The image has ${await builder.buildah("images", "--format={{.Size}}", IMAGE)}`);
  }, 900_000);
  afterAll(() => builder.remove());

  /** Starts a container that ends with the test, and waits for a text that it prints. */
  async function start(options: Parameters<typeof builder.start>[2], ready: string) {
    const container = await builder.start(IMAGE, config, options);
    cleanUps.push(() => container.end("SIGKILL"));
    await waitUntil(() => container.output().includes(ready), 60_000).catch(() => {
      throw new Error(container.output());
    });
    return container;
  }

  /** Seeds a database with the small fixture, from a file in the image's volume. */
  async function seed(env: Record<string, string>): Promise<void> {
    const data = path.join(builder.folder, "volumes", Object.keys(config.Volumes)[0] as string);
    await fs.mkdir(data, { recursive: true });
    await fs.writeFile(path.join(data, "fixture.json"), JSON.stringify(SMALL_FIXTURE.file));
    const command = ["node", "app/commands/run.mjs", "seed", "/var/lib/points/fixture.json"];
    const seeding = await builder.start(IMAGE, config, { env, command });
    await waitUntil(() => /\S/.test(seeding.output()), 60_000);
    expect(await seeding.end("SIGCONT"), seeding.output()).toBe(0);
  }

  test("runs as a user without rights on a read-only root, credits, and stops", async () => {
    expect(config).toMatchObject({ User: "10001:10001", StopSignal: "SIGTERM" });
    const port = await findFreePort();
    const env = { HOST: "127.0.0.1", PORT: String(port), RPC_URL_1: "off" };
    await seed(env);
    const server = await start({ env }, "is ready at");
    const url = `http://127.0.0.1:${port}`;
    const status = await fs.readFile(`/proc/${server.pid}/status`, "utf8");
    expect(/^Uid:(.*)$/m.exec(status)?.[1]?.trim().split(/\s+/)).toEqual(Array(4).fill("10001"));
    expect(/^CapEff:\s*(\w+)$/m.exec(status)?.[1]).toMatch(/^0+$/);
    // Not even root can write there.
    const probe = `/proc/${server.pid}/root/srv/points/probe`;
    await expect(fs.writeFile(probe, "")).rejects.toMatchObject({ code: "EROFS" });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/sign-in`)).status).toBe(200);
    const answer = await fireOverHttp(url, SMALL_FIXTURE.wallet);
    expect(await answer.json()).toMatchObject({ success: true, pointsAdded: 10 });
    const [kind, ...check] = config.Healthcheck.Test;
    expect(kind).toBe("CMD");
    await server.exec(check);
    expect(await server.end("SIGTERM"), server.output()).toBe(0);
  });

  // Its images of PostgreSQL and of the proxy come from a registry: Debian's PostgreSQL stands for the first one.
  test.skipIf(!hasPostgres15())(
    "serves and works with the settings of the compose file, and passes its health checks",
    async () => {
      const [databasePort, port, metricsPort] = [
        await findFreePort(),
        await findFreePort(),
        await findFreePort(),
      ].map(String);
      const compose = await readCompose();
      const ownFile: Record<string, string> = {
        DOMAIN: "points.example.com",
        POSTGRES_PASSWORD: "a-password-of-a-test",
        GIFT_CARD_KEYS: `k1:${"5a".repeat(32)}`,
      };
      const fill = (text: string) =>
        text.replace(/\$\{(\w+):\?\}/g, (_, name: string) => ownFile[name] ?? "");
      /** The environment of a service. Its places on the network are those of this machine. */
      const getEnv = (name: string): Record<string, string> =>
        Object.fromEntries(
          Object.entries<string>(compose.services[name].environment).map(([key, value]) => [
            key,
            fill(value)
              .replace("@database:5432/", `@127.0.0.1:${databasePort}/`)
              .replace("172.30.64.2/32", "127.0.0.1/32")
              .replace(/^9464$/, metricsPort as string),
          ]),
        );

      const server = startPostgres15(Number(databasePort));
      cleanUps.push(async () => server.end());
      const asAdmin = postgres(server.url, { max: 1 });
      cleanUps.push(() => asAdmin.end());
      const { POSTGRES_USER, POSTGRES_DB } = compose.services.database.environment;
      await asAdmin.unsafe(`create role ${POSTGRES_USER} superuser login`);
      await asAdmin.unsafe(`create database ${POSTGRES_DB} owner ${POSTGRES_USER}`);

      const env = { ...getEnv("app"), HOST: "127.0.0.1", PORT: port as string };
      await seed(env);
      const app = await start({ env }, "is ready at");
      const { command, environment, healthcheck } = compose.services.worker;
      const worker = await start({ env: getEnv("worker"), command }, "The worker is ready");

      const url = `http://127.0.0.1:${port}`;
      const answer = await fireOverHttp(url, SMALL_FIXTURE.wallet);
      expect(await answer.json()).toMatchObject({ success: true, pointsAdded: 10 });
      // The app has no worker, so the other container counts the credit.
      const sql = postgres(getEnv("app").DATABASE_URL as string, { max: 1 });
      cleanUps.push(() => sql.end());
      await waitUntil(async () => {
        const [row] = await sql`select sum(points)::int as points from daily_totals`;
        return row?.points === 35;
      }, 30_000);
      const page = await fetch(`${url}/sign-in`, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: `https://${ownFile.DOMAIN}`, "X-Forwarded-For": "192.0.2.7" },
        body: new URLSearchParams(SMALL_FIXTURE.file.operators[0]),
      });
      expect(page.headers.get("set-cookie")).toMatch(/^__Host-.*; Secure/);

      await app.exec(config.Healthcheck.Test.slice(1));
      const inPlace = (part: string) =>
        part.replace(environment.METRICS_PORT, metricsPort as string);
      await worker.exec(healthcheck.test.slice(1).map(inPlace));
      expect(await worker.end("SIGTERM"), worker.output()).toBe(0);
      expect(await app.end("SIGTERM"), app.output()).toBe(0);
    },
  );
});
