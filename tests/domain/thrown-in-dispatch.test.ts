import type { AddressInfo } from "node:net";
import type { ServerBuild } from "@remix-run/node";
import pino from "pino";
import { expect, test } from "vitest";
import { getApiRouteId, listApiMounts, MANAGE_ROUTES } from "../../app/api/endpoints";
import { createHttpServer } from "../../app/server/http-server";

test("an error that is thrown before a handler answers 500, and the server serves on", async () => {
  const errors: unknown[] = [];
  const answer = async () => new Response("served");
  const paths = [...listApiMounts().map(({ path }) => path), ...MANAGE_ROUTES];
  const routes = Object.fromEntries(
    paths.map((path) => {
      const id = getApiRouteId(path);
      return [id, { id, path, module: { loader: answer, action: answer } }];
    }),
  );
  const { server } = createHttpServer({
    build: { routes, future: {}, basename: "/" } as unknown as ServerBuild,
    logger: pino({ level: "silent" }),
    appOrigin: undefined,
    isSignUpOpen: false,
    host: "127.0.0.1",
    trustedProxies: [],
    isReady: async () => true,
    logError: (_, error) => errors.push(error),
    serveStatic: () => {
      throw new RangeError("Thrown");
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const broken = await fetch(`${url}/assets/x.js`);
  expect([broken.status, broken.headers.get("x-request-id")]).toEqual([500, expect.any(String)]);
  expect(errors).toEqual([new RangeError("Thrown")]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  server.closeAllConnections();
  server.close();
});
