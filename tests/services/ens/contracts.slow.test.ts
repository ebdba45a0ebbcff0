import {
  createServer,
  type IncomingMessage,
  request as requestPlain,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { encodeAbiParameters, type Hex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadEnsLookup, openEns } from "../../../app/chain/ens/ens";
import { createGuardedFetch, type GuardedFetchWorld } from "../../../app/chain/ens/guarded-fetch";
import { BASE_COIN_TYPE, type EnsLookup } from "../../../app/chain/ens/protocol";
import type { Address } from "../../../app/domain/address";
import { type EnsChain, startEnsChain } from "../../support/chain/ens/deploy";

// The look-ups run against the ENS project's own registry, reverse registrar and public resolver on
// a chain, with gateways outside it. The universal resolver and the offchain resolver are small
// ones of this project: tests/support/chain/ens/ens.sol. The real guard calls the gateways: only
// its last step, the connection, leads to a server here.

const ALICE = "0x00000000000000000000000000000000000a11ce";
const MEGABYTE = 1024 * 1024;
const MALLORY = "0x000000000000000000000000000000000000bad0";

let chain: EnsChain;
let gateway: Server;
let connections: number;
let asked: { url: string; method: string; body: string }[];
/** The gateway's answer: a status and JSON. */
let answer: (data: Hex, sender: Address) => { status: number; body: unknown };
/** The gateway's behaviour when it does not answer. */
let misbehave: ((response: ServerResponse) => void) | null;
let ens: EnsLookup;

const connectHere: GuardedFetchWorld["connect"] = (options) =>
  requestPlain({
    ...options,
    protocol: "http:",
    hostname: "127.0.0.1",
    port: (gateway.address() as AddressInfo).port,
    agent: false,
  });

/** Signs a gateway's answer that the offchain resolver accepts. */
const sign = (by: Address, owner: Address): Hex =>
  encodeAbiParameters(
    [{ type: "address" }, { type: "bytes" }],
    [by, encodeAbiParameters([{ type: "address" }], [owner])],
  );

beforeAll(async () => {
  chain = await startEnsChain();
  gateway = createServer(async (request, response) => {
    const { url = "", method = "" } = request;
    const body = await readText(request);
    if (misbehave) {
      asked.push({ url, method, body });
      return misbehave(response);
    }
    asked.push({ url, method, body });
    const [sender, data] =
      method === "GET" ? url.split("/").slice(1) : [JSON.parse(body).sender, JSON.parse(body).data];
    const given = answer(data as Hex, sender as Address);
    response.writeHead(given.status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(given.body));
  });
  gateway.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
}, 60_000);
afterAll(async () => {
  gateway?.closeAllConnections();
  gateway?.close();
  await chain?.stop();
});
beforeEach(async () => {
  connections = 0;
  asked = [];
  misbehave = null;
  answer = (_, sender) => ({ status: 200, body: { data: sign(sender, ALICE) } });
  await openLookup({ lookUp: async () => ["93.184.215.14"] });
});

async function openLookup(world: Partial<GuardedFetchWorld>): Promise<void> {
  openEns({
    rpcUrls: [chain.rpcUrl],
    universalResolver: chain.universalResolver,
    fetchFromGateway: createGuardedFetch({ connect: connectHere, ...world }),
  });
  ens = await loadEnsLookup();
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** Creates a name whose records are at gateways. */
async function createOffchainName(name: string, urls: readonly string[]): Promise<string> {
  await chain.setResolver(name, await chain.deploy("OffchainResolver", [urls]));
  return name;
}

describe("on chain", () => {
  test("a name has the address that is set, another one has none", async () => {
    await chain.setAddress("alice.eth", ALICE);
    await chain.setAddress("zero.eth", "0x0000000000000000000000000000000000000000");
    expect(await ens.findAddress("alice.eth")).toBe(ALICE);
    expect(await ens.findAddress("nobody.eth")).toBeNull();
    expect(await ens.findAddress("sub.alice.eth")).toBeNull();
    expect(await ens.findAddress("zero.eth")).toBeNull();
  });

  test("an address has the name that it chose, if it resolves back and is normalized", async () => {
    await chain.setAddress("alice.eth", ALICE);
    expect(await ens.findPrimaryName(ALICE)).toBeNull();
    await chain.setPrimaryName(ALICE, "alice.eth");
    expect(await ens.findPrimaryName(ALICE)).toBe("alice.eth");
    for (const stolen of ["alice.eth", "nobody.eth", "ALICE.eth", "alice", ""]) {
      await chain.setPrimaryName(MALLORY, stolen);
      expect(await ens.findPrimaryName(MALLORY)).toBeNull();
    }
    await chain.setAddress("Mallory.eth", MALLORY);
    await chain.setPrimaryName(MALLORY, "Mallory.eth");
    expect(await ens.findPrimaryName(MALLORY)).toBeNull();
  });

  test("a name that was chosen on Base is Base's, if it resolves back there", async () => {
    const address = "0x00000000000000000000000000000000000ba5e0";
    await chain.setAddress("base.eth", address);
    await chain.setPrimaryNameOf(address, "base.eth", BASE_COIN_TYPE);
    // Its address on Ethereum says nothing about Base.
    expect(await ens.findPrimaryName(address, BASE_COIN_TYPE)).toBeNull();
    await chain.setAddress("base.eth", MALLORY, BASE_COIN_TYPE);
    expect(await ens.findPrimaryName(address, BASE_COIN_TYPE)).toBeNull();
    await chain.setAddress("base.eth", address, BASE_COIN_TYPE);
    expect(await ens.findPrimaryName(address, BASE_COIN_TYPE)).toBe("base.eth");
    expect(await ens.findPrimaryName(address)).toBeNull();
  });

  test("a contract that asks for itself without an end is left", async () => {
    await chain.setResolver("endless.eth", await chain.deploy("EndlessResolver"));
    await expect(ens.findAddress("endless.eth")).rejects.toThrow("The ENS endpoint failed");
    expect(connections).toBe(0);
  });
});

describe("off chain (CCIP-read)", () => {
  test("a name has the address that its gateway says, by GET and by POST, and so have names beneath it", async () => {
    for (const [name, url] of [
      ["get.eth", "https://gateway.test/{sender}/{data}"],
      ["post.eth", "https://gateway.test/ask"],
    ] as const) {
      await createOffchainName(name, [url]);
      expect(await ens.findAddress(name)).toBe(ALICE);
      expect(await ens.findAddress(`sub.${name}`)).toBe(ALICE);
    }
    expect(asked.map(({ method }) => method)).toEqual(["GET", "GET", "POST", "POST"]);
  });

  test("a primary name can be off chain, and has to resolve back there", async () => {
    await createOffchainName("far.eth", ["https://gateway.test/{sender}/{data}"]);
    await chain.setPrimaryName(ALICE, "far.eth");
    await chain.setPrimaryName(MALLORY, "far.eth");
    expect(await ens.findPrimaryName(ALICE)).toBe("far.eth");
    expect(await ens.findPrimaryName(MALLORY)).toBeNull();
  });

  test("that there is no address is an answer; what the contract refuses, and an error, is none", async () => {
    const name = await createOffchainName("said.eth", ["https://gateway.test/{sender}/{data}"]);
    answer = (_, sender) => ({
      status: 200,
      body: { data: sign(sender, "0x0000000000000000000000000000000000000000") },
    });
    expect(await ens.findAddress(name)).toBeNull();
    for (const given of [
      { status: 200, body: { data: sign(MALLORY, MALLORY) } },
      { status: 200, body: { data: "0x" } },
      { status: 200, body: { data: 1 } },
      { status: 200, body: null },
      { status: 200, body: "0x" },
      { status: 404, body: { message: "not here" } },
      { status: 500, body: {} },
    ]) {
      answer = () => given;
      await expect(ens.findAddress(name)).rejects.toThrow();
    }
  });

  test("the next gateway is asked after one that fails, three at most, and none after a refusal", async () => {
    const urls = Array.from({ length: 9 }, (_, i) => `https://g${i}.test/{sender}/{data}`);
    const name = await createOffchainName("many.eth", urls);
    answer = (_, sender) =>
      asked.length < 3
        ? { status: 500, body: {} }
        : { status: 200, body: { data: sign(sender, ALICE) } };
    expect(await ens.findAddress(name)).toBe(ALICE);
    asked = [];
    answer = () => ({ status: 503, body: {} });
    await expect(ens.findAddress(name)).rejects.toThrow();
    expect(asked).toHaveLength(3);
    asked = [];
    answer = () => ({ status: 400, body: {} });
    await expect(ens.findAddress(name)).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  test.each([
    "http://127.0.0.1/{sender}/{data}",
    "http://gateway.test/{sender}/{data}",
    "https://127.0.0.1/{sender}/{data}",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/{data}",
    "https://[::ffff:10.0.0.1]/{data}",
    "https://gateway.test:8443/{data}",
    "file:///etc/passwd",
    "{data}",
  ])("a resolver that points to %s has no connection made", async (url) => {
    const name = await createOffchainName(`to-${asked.length}.eth`, [url]);
    await expect(ens.findAddress(name)).rejects.toThrow("The ENS endpoint failed");
    expect(connections).toBe(0);
  });

  test("a gateway that redirects is left: nothing is asked for where it points to", async () => {
    const name = await createOffchainName("redirect.eth", ["https://gateway.test/{sender}/{data}"]);
    for (const status of [301, 302, 303, 307, 308]) {
      asked = [];
      misbehave = (response) =>
        response.writeHead(status, { Location: "https://127.0.0.1/{data}" }).end();
      await expect(ens.findAddress(name)).rejects.toThrow();
      expect(asked).toHaveLength(1);
    }
  });

  test("an answer of 10 MB is left after the first of it, said to be so long or not", async () => {
    const name = await createOffchainName("flood.eth", ["https://gateway.test/{sender}/{data}"]);
    for (const length of [{}, { "Content-Length": 10 * MEGABYTE }]) {
      let sent = 0;
      const closed = new Promise<void>((resolve) => {
        misbehave = (response) => {
          response.on("close", resolve);
          response.writeHead(200, { "Content-Type": "application/json", ...length });
          const send = () => {
            while (!response.destroyed && sent < 10 * MEGABYTE) {
              sent += 65_536;
              if (!response.write(" ".repeat(65_536))) return void response.once("drain", send);
            }
            if (!response.destroyed) response.end();
          };
          send();
        };
      });
      await expect(ens.findAddress(name)).rejects.toThrow();
      await closed;
      // Only the buffers of both sockets were ever sent.
      expect(sent).toBeLessThan(8 * MEGABYTE);
    }
  });

  test("an answer that drips without an end is left in time", async () => {
    const name = await createOffchainName("drip.eth", ["https://gateway.test/{sender}/{data}"]);
    const closed = new Promise<void>((resolve) => {
      misbehave = (response) => {
        response.writeHead(200, { "Content-Type": "application/json" });
        const timer = setInterval(() => response.write(" "), 50);
        response.on("close", () => {
          clearInterval(timer);
          resolve();
        });
      };
    });
    await expect(ens.findAddress(name)).rejects.toThrow();
    await closed;
  });

  test("a gateway's name that rebinds to this machine has no connection made", async () => {
    const answers = [["93.184.215.14", "127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]];
    const name = await createOffchainName("rebind.eth", ["https://rebind.test/{sender}/{data}"]);
    for (const addresses of answers) {
      await openLookup({ lookUp: async () => addresses });
      await expect(ens.findAddress(name)).rejects.toThrow();
    }
    expect(connections).toBe(0);
  });
});
