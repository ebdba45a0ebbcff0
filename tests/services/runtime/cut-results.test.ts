import net from "node:net";
import postgres from "postgres";
import { expect, test } from "vitest";
import { database } from "../../support/test-database";

/** Some megabytes: more than one read of a socket. */
const MANY_ROWS = "select n, repeat('x', 1000) as text from generate_series(1, 5000) n";
const connect = (more: object = {}) =>
  postgres({
    ...database,
    max: 1,
    backoff: () => 0,
    fetch_types: false,
    onnotice: () => {},
    ...more,
  });

test("after a statement that fails in the midst of its rows, the next one has all of its rows", async () => {
  const sql = connect();
  const failing = sql.unsafe("select 1 / (4000 - n) as part from generate_series(1, 5000) n");
  await expect(failing).rejects.toMatchObject({ code: "22012" });
  const rows = await sql`select n from generate_series(1, 3) n`;
  expect([...rows]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  await sql.end();
});

test("after a connection that is lost in the midst of a result's rows, the next result has all of its rows", async () => {
  // It ends the first connection after so many bytes of the result.
  let bytesLeft = 1_000_000;
  const proxy = net.createServer((client) => {
    const service = net.connect(`${database.host}/.s.PGSQL.${database.port}`);
    client.on("error", () => {}).pipe(service);
    service
      .on("error", () => {})
      .on("data", (piece) => {
        bytesLeft -= piece.length;
        if (bytesLeft < 0) {
          bytesLeft = Number.POSITIVE_INFINITY;
          client.end(piece.subarray(0, 100));
          service.destroy();
        } else if (client.writable) client.write(piece);
      });
    client.on("close", () => service.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as net.AddressInfo;
  const sql = connect({ host: "127.0.0.1", port, ssl: false });
  await expect(sql.unsafe(MANY_ROWS)).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const rows = await sql`select n from generate_series(1, 3) n`;
  expect([...rows]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  await sql.end();
  proxy.close();
});
