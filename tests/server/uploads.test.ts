import fs from "node:fs/promises";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDataDir,
  type ServerProcess,
  SMALL_FIXTURE,
  seed,
  startServerProcess,
  waitUntil,
} from "../support/server-process";

const { pointSystemId, file } = SMALL_FIXTURE;
const MANAGE_TOKEN = "rw_00000000000000000000000000000002";
const PAGE = `/dashboard/${pointSystemId}/imports`;

let server: ServerProcess;
let cookie: string;
const held: net.Socket[] = [];
beforeAll(async () => {
  server = await startServerProcess({ dataDir: await createDataDir() });
  await seed(server.dataDir, {
    ...file,
    apiKeys: [{ ...file.apiKeys[0], name: "manager", key: MANAGE_TOKEN, permission: "manage" }],
  });
  const { email, password } = file.operators[0];
  const signedIn = await fetch(`${server.url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: server.url },
    body: new URLSearchParams({ email, password }),
  });
  cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
});
afterAll(async () => {
  for (const socket of held) socket.destroy();
  await server.end("SIGTERM");
  await fs.rm(server.dataDir, { recursive: true, force: true });
});

/**
 * Begins a request whose body does not end. It is itself refused when an upload that has not ended has the second
 * place just then, so tests begin one more until they are refused.
 */
function hold(path: string, headers: Record<string, string>, body: string): void {
  const { port, host } = new URL(server.url);
  const lines = Object.entries({ Host: host, ...headers, "Content-Length": "200000" });
  const socket = net.connect(Number(port), "127.0.0.1", () =>
    socket.write(
      `POST ${path} HTTP/1.1\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n${body}`,
    ),
  );
  socket.on("error", () => {});
  held.push(socket);
}

async function letGo(): Promise<void> {
  for (const socket of held.splice(0)) socket.destroy();
}

/** Uploads a file without rows, which is refused once it is read and leaves no draft. */
function upload(): Promise<Response> {
  const form = new FormData();
  form.append("file", new File(["\n"], "points.csv", { type: "text/csv" }));
  return fetch(server.url + PAGE, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: server.url, Cookie: cookie },
    body: form,
  });
}

test("an operator's third upload at once is refused with 503 and Retry-After, and passes when one has ended", async () => {
  const headers = {
    Origin: server.url,
    Cookie: cookie,
    "Content-Type": "multipart/form-data; boundary=x",
  };
  let answer = new Response();
  await waitUntil(async () => {
    hold(PAGE, headers, "--x\r\n");
    answer = await upload();
    return answer.status === 503;
  }, 20_000);
  expect(answer.headers.get("retry-after")).toBe("10");
  expect(await answer.text()).toContain(
    "Too many files are being uploaded. Try again in 1 minute.",
  );
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await letGo();
  await waitUntil(async () => (await upload()).status === 400, 20_000);
});

test("a key's third long body at once is refused with 503 and Retry-After, and short ones pass", async () => {
  const path = "/manage/v1/imports/upload";
  const headers = { Authorization: `Bearer ${MANAGE_TOKEN}`, "Content-Type": "application/json" };
  /** Uploads line ends, which are refused once they are read and leave no draft. */
  const send = (lines: number) =>
    fetch(server.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify({ pointSystemId, csv: "\n".repeat(lines), fileName: "points.csv" }),
    });
  let answer = new Response();
  await waitUntil(async () => {
    hold(path, headers, "{");
    answer = await send(20_000);
    return answer.status === 503;
  }, 20_000);
  expect(answer.headers.get("retry-after")).toBe("10");
  expect(await answer.json()).toMatchObject({ code: "too_many_uploads" });
  expect((await send(1)).status).toBe(400);
  await letGo();
  await waitUntil(async () => (await send(20_000)).status === 400, 20_000);
});
