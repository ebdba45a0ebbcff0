import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { findFreePort } from "../support/free-port";
import { cleanUps } from "../support/seeded-server";
import { fireOverHttp, SMALL_FIXTURE, waitUntil } from "../support/server-process";
import { canBuildImages, createBuilder } from "./image";

const IMAGE = "localhost/points-and-rewards";
const isTested = await canBuildImages();

test.skipIf(!isTested)(
  "the image is built, runs as a user without rights on a read-only root, credits, and stops",
  async () => {
    const builder = await createBuilder();
    cleanUps.push(() => builder.remove());
    const config = await builder.build(await builder.makeBase(), IMAGE);
    expect(config).toMatchObject({ User: "10001:10001", StopSignal: "SIGTERM" });
    console.log(`The image has ${await builder.buildah("images", "--format={{.Size}}", IMAGE)}`);
    const port = await findFreePort();
    const env = { HOST: "127.0.0.1", PORT: String(port), RPC_URL_1: "off" };

    const data = path.join(builder.folder, "volumes", Object.keys(config.Volumes)[0] as string);
    await fs.mkdir(data, { recursive: true });
    await fs.writeFile(path.join(data, "fixture.json"), JSON.stringify(SMALL_FIXTURE.file));
    const command = ["node", "app/commands/run.mjs", "seed", "/var/lib/points/fixture.json"];
    const seeding = await builder.start(IMAGE, config, { env, command });
    await waitUntil(() => /\S/.test(seeding.output()), 60_000);
    expect(await seeding.end("SIGCONT"), seeding.output()).toBe(0);

    const server = await builder.start(IMAGE, config, { env });
    cleanUps.push(() => server.end("SIGKILL"));
    const url = `http://127.0.0.1:${port}`;
    await waitUntil(() => server.output().includes("is ready at"), 60_000).catch(() => {
      throw new Error(server.output());
    });
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
  },
);
