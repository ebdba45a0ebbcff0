import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { encodeAbiParameters, type Hex, stringToHex, toHex } from "viem";
import { afterEach, expect, test } from "vitest";
import { readToken } from "../../../app/chain/campaigns/token";
import { openChains } from "../../../app/chain/rpc/chains";
import { codeOf } from "../../support/operators";
import { createAddress } from "../../support/scene";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  openChains({});
});

const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);
const word = (value: number) => encodeAbiParameters([{ type: "uint256" }], [BigInt(value)]);

/** Serves an endpoint that answers the calls for name, symbol and decimals in this way, after others. */
async function serve(
  answer: (selector: string) => Hex | "revert" | "hang" | "break",
  ...others: string[]
) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { id, method, params } = JSON.parse(body);
      const result = method === "eth_chainId" ? toHex(84532) : answer(params[0].data);
      if (result === "hang") return;
      if (result === "break") response.statusCode = 500;
      response.setHeader("Content-Type", "application/json");
      const error = { code: 3, message: "execution reverted", data: "0x" };
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, ...(result === "revert" ? { error } : { result }) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  openChains({ RPC_URL_84532: [...others, `http://127.0.0.1:${port}`] });
}

const answers = (name: Hex, symbol: Hex, decimals: Hex) => (selector: string) =>
  ({ "0x06fdde03": name, "0x95d89b41": symbol, "0x313ce567": decimals })[selector] ?? "revert";

test("a token's name, symbol and decimals are read, as text or as the bytes of old tokens", async () => {
  await serve(answers(text("Test Token"), text("TEST"), word(6)));
  const token = await readToken(84532, createAddress());
  expect(token).toEqual({ name: "Test Token", symbol: "TEST", decimals: 6 });
  const old = (value: string) => stringToHex(value, { size: 32 });
  await serve(answers(old("Maker"), old("MKR"), word(18)));
  expect(await readToken(84532, createAddress())).toEqual({
    name: "Maker",
    symbol: "MKR",
    decimals: 18,
  });
});

test("the next endpoint is asked when one does not answer", async () => {
  await serve(answers(text("Test Token"), text("TEST"), word(6)), "http://127.0.0.1:1");
  expect(await readToken(84532, createAddress())).toMatchObject({ symbol: "TEST" });
});

test("names are cut to a length and rid of what hides or turns text round", async () => {
  await serve(
    answers(text("x".repeat(1_000)), text(`U\u202eS\u0000D\n\u200b${"C".repeat(99)}`), word(0)),
  );
  const { name, symbol } = await readToken(84532, createAddress());
  expect(name).toHaveLength(100);
  expect(symbol).toBe(`USD${"C".repeat(29)}`);
});

test.each([
  ["nothing at the address", () => "0x"],
  ["calls that revert", () => "revert"],
  ["no symbol", answers(text("A"), text(""), word(18))],
  ["a symbol of control characters", answers(text("A"), text("\u0000\u202e"), word(18))],
  ["decimals over 255", answers(text("A"), text("A"), word(256))],
  ["decimals of another length", answers(text("A"), text("A"), "0x12")],
  ["an endless symbol", answers(text("A"), text("x".repeat(9_000)), word(18))],
] as const)("is no token: %s", async (_, answer) => {
  await serve(answer as Parameters<typeof serve>[0]);
  expect(await codeOf(readToken(84532, createAddress()))).toBe("token_unreadable");
});

test("an endpoint that fails or hangs is told apart from a missing token, within the deadline", async () => {
  expect(await codeOf(readToken(84532, createAddress()))).toBe("chain_not_configured");
  await serve(() => "break");
  expect(await codeOf(readToken(84532, createAddress()))).toBe("chain_unavailable");
  await serve(() => "hang");
  expect(await codeOf(readToken(84532, createAddress()))).toBe("chain_unavailable");
}, 20_000);
