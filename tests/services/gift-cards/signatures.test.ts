import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import {
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  hashMessage,
  parseAbi,
  toHex,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, parseSiweMessage, type SiweMessage } from "viem/siwe";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openChains } from "../../../app/chain/rpc/chains";
import { withDatabase } from "../../../app/db/client";
import type { Address } from "../../../app/domain/address";
import type { Member } from "../../../app/services/access/members";
import { distributeGiftCards } from "../../../app/services/gift-cards/distribution";
import { askForSignature, revealSignedGiftCard } from "../../../app/services/gift-cards/signatures";
import { chooseContractWalletChain } from "../../../app/services/wallet-signatures/contract-wallets";
import { removeOldNonces } from "../../../app/services/wallet-signatures/nonces";
import { getTestAccount, startAnvil, TEST_CHAIN_ID } from "../../support/chain/anvil";
import { testWalletAbi } from "../../support/chain/test-wallet";
import {
  createActiveReward,
  createCodes,
  createGiftCardKey,
  readCards,
  storeWallets,
  useGiftCardKeys,
} from "../../support/gift-cards";
import { codeOf, createOwner, tally } from "../../support/operators";

const ORIGIN = "https://points.example.com";
const BASE = 8453;

let owner: Member<"owner">;
let codes: string[];
const holder = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const address = holder.address.toLowerCase() as Address;
let cardId: string;
let otherCardId: string;

beforeEach(async () => {
  useGiftCardKeys(createGiftCardKey("one"));
  owner = await createOwner();
  codes = createCodes(1);
  await storeWallets(owner, [{ address, points: 10 }]);
  const give = async (given: string[]) => {
    const rewardId = await createActiveReward(owner, [
      { label: "Gold", minPoints: 1, codes: given },
    ]);
    await distributeGiftCards(owner, rewardId, "everyone");
    const [card] = await readCards(rewardId);
    return card?.id ?? "";
  };
  cardId = await give(codes);
  otherCardId = await give(createCodes(1));
});

const ask = (chainId = BASE, id = cardId, origin = ORIGIN) =>
  askForSignature({ pointSystemId: owner.pointSystemId, cardId: id, address, chainId }, origin);

async function listen(server: http.Server): Promise<number> {
  server.listen(0);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function reveal(
  nonce: string,
  message: string,
  { by = holder, id = cardId, as = address, origin = ORIGIN } = {},
) {
  const signature = await by.signMessage({ message });
  const request = { pointSystemId: owner.pointSystemId, cardId: id, address: as };
  return revealSignedGiftCard(
    { ...request, nonce, signature, ip: "192.0.2.7", userAgent: "" },
    origin,
  );
}

test("a holder who signs what was asked is shown the code, and the text says for what and where", async () => {
  const { nonce, message } = await ask();
  expect(message).toContain(`${ORIGIN} wants you to sign in with your Ethereum account:`);
  expect(message).toContain(holder.address);
  expect(message).toContain(`URI: ${ORIGIN}/claim/${owner.pointSystemId}`);
  expect(message).toContain("Chain ID: 8453");
  expect(message).toContain(`Nonce: ${nonce}`);
  expect(message).toMatch(/Issued At: .+\nExpiration Time: .+/);
  expect(message).toContain(`urn:uuid:${cardId}`);
  expect((await reveal(nonce, message)).code).toBe(codes[0]);
});

test.each([
  "https://points.example.com",
  "https://points.example.com:8443",
  "http://localhost:3000",
  "http://127.0.0.1:3000",
])("the text under %s is the one that viem writes", async (origin) => {
  const { message } = await ask(BASE, cardId, origin);
  const fields = parseSiweMessage(message) as SiweMessage;
  expect(message).toBe(createSiweMessage(fields));
  expect(fields).toMatchObject({
    scheme: origin.split(":")[0],
    domain: new URL(origin).host,
    uri: `${origin}/claim/${owner.pointSystemId}`,
    statement: expect.stringContaining("my gift card"),
    resources: [`urn:uuid:${cardId}`],
  });
});

test.each([
  "https://punkte.xn--vermgensberater-ctb",
  "https://points",
  "https://[2001:db8::7]:8443",
])("a code is shown under %s, too", async (origin) => {
  const { nonce, message } = await ask(BASE, cardId, origin);
  expect(message).toContain(`${origin} wants you to sign in with your Ethereum account:`);
  expect((await reveal(nonce, message, { origin })).code).toBe(codes[0]);
});

test("what was signed counts once, also for many at once", async () => {
  const { nonce, message } = await ask();
  const outcomes = await tally(Array.from({ length: 10 }, () => reveal(nonce, message)));
  expect(outcomes).toEqual({ succeeded: 1, wallet_signature_refused: 9 });
});

test.each<[string, (message: string) => string]>([
  ["domain", (text) => text.replace("points.example.com wants", "evil.example wants")],
  ["scheme", (text) => text.replace("https://points", "http://points")],
  ["URI", (text) => text.replace("URI: https://points", "URI: https://evil")],
  ["chain", (text) => text.replace("Chain ID: 8453", "Chain ID: 1")],
  ["nonce", (text) => text.replace(/Nonce: ./, "Nonce: x")],
  ["time of issue", (text) => text.replace(/Issued At: 2/, "Issued At: 3")],
  ["expiry", (text) => text.replace(/Expiration Time: 2/, "Expiration Time: 3")],
  ["address", (text) => text.replace(holder.address, stranger.address)],
  ["card", (text) => text.replace(/urn:uuid:./, "urn:uuid:-")],
])("a signature of another %s is refused", async (_, change) => {
  const { nonce, message } = await ask();
  const changed = change(message);
  expect(changed).not.toBe(message);
  expect(await codeOf(reveal(nonce, changed))).toBe("wallet_signature_refused");
  // The first attempt used up the nonce.
  expect(await codeOf(reveal(nonce, message))).toBe("wallet_signature_refused");
});

test("another wallet's signature, another card, another address and another origin are refused", async () => {
  const attempts: Parameters<typeof reveal>[2][] = [
    { by: stranger },
    { id: otherCardId },
    { by: stranger, as: stranger.address.toLowerCase() as Address },
    { origin: "https://other.example.com" },
  ];
  for (const attempt of attempts) {
    const { nonce, message } = await ask();
    expect(await codeOf(reveal(nonce, message, attempt))).toBe("wallet_signature_refused");
  }
});

test("after five minutes a nonce is refused, and then removed", async () => {
  const { nonce, message } = await ask();
  const age = (seconds: number) =>
    withDatabase((db) =>
      db.execute(sql`update wallet_nonces
        set issued_at = issued_at - make_interval(secs => ${seconds}),
          expires_at = expires_at - make_interval(secs => ${seconds})
        where point_system_id = ${owner.pointSystemId}`),
    );
  await age(301);
  expect(await codeOf(reveal(nonce, message))).toBe("wallet_signature_refused");
  await ask();
  const { nonce: fresh, message: text } = await ask(BASE, otherCardId);
  await withDatabase((db) =>
    db.execute(sql`update wallet_nonces set expires_at = now() - interval '1 second'
      where purpose = ${`gift-card ${cardId}`}`),
  );
  while (await removeOldNonces());
  const [left] = await withDatabase((db) =>
    db.execute<{ count: number }>(sql`select count(*)::int as count from wallet_nonces
      where point_system_id = ${owner.pointSystemId}`),
  );
  expect(left?.count).toBe(1);
  expect((await reveal(fresh, text, { id: otherCardId })).code).toBeTruthy();
});

test("nobody is asked to sign for a card that is not theirs", async () => {
  const asked = askForSignature(
    {
      pointSystemId: owner.pointSystemId,
      cardId,
      address: stranger.address.toLowerCase() as Address,
      chainId: BASE,
    },
    ORIGIN,
  );
  expect(await codeOf(asked)).toBe("not_found");
});

describe("a wallet that is a contract", () => {
  const keyOwner = getTestAccount(6);
  let anvil: Awaited<ReturnType<typeof startAnvil>>;
  let elsewhere: Awaited<ReturnType<typeof startAnvil>>;
  let wallet: Address;
  let card: string;

  beforeAll(async () => {
    anvil = await startAnvil({ hasCampaigns: false });
    elsewhere = await startAnvil({ chainId: BASE, hasCampaigns: false });
    wallet = await anvil.deployWallet(keyOwner.address);
  });
  afterAll(async () => {
    openChains({});
    await anvil.stop();
    await elsewhere.stop();
  });
  beforeEach(async () => {
    openChains({ RPC_URL_84532: [anvil.rpcUrl], RPC_URL_8453: [elsewhere.rpcUrl] });
    await chooseContractWalletChain(owner, TEST_CHAIN_ID);
    await storeWallets(owner, [{ address: wallet, points: 10 }]);
    const tier = { label: "Silver", minPoints: 1, codes: createCodes(2) };
    const rewardId = await createActiveReward(owner, [tier]);
    await distributeGiftCards(owner, rewardId, "everyone");
    const cards = await readCards(rewardId);
    card = cards.find((found) => found.address === wallet)?.id ?? "";
  });

  /** Deploys another wallet, and returns its code with its owner in it. */
  const codeOfWallet = async (by: Address) => {
    const other = await anvil.deployWallet(by);
    return (await anvil.client.getCode({ address: other })) ?? "0x";
  };
  const askWallet = (chainId: number) =>
    askForSignature(
      { pointSystemId: owner.pointSystemId, cardId: card, address: wallet, chainId },
      ORIGIN,
    );
  const show = (nonce: string, signature: Hex) =>
    revealSignedGiftCard(
      {
        pointSystemId: owner.pointSystemId,
        cardId: card,
        address: wallet,
        nonce,
        signature,
        ip: "192.0.2.7",
        userAgent: "",
      },
      ORIGIN,
    );

  test("reveals by its owner's signature, and by what it signed on chain (ERC-1271)", async () => {
    const first = await askWallet(TEST_CHAIN_ID);
    const signature = await keyOwner.signMessage(first);
    expect((await show(first.nonce, signature)).code).toMatch(/^CODE-/);
    const { nonce, message } = await askWallet(TEST_CHAIN_ID);
    const data = encodeFunctionData({
      abi: testWalletAbi,
      functionName: "sign",
      args: [hashMessage(message)],
    });
    await anvil.send(keyOwner, { to: wallet, data });
    expect((await show(nonce, "0x")).code).toMatch(/^CODE-/);
  });

  test("is refused what its owner did not sign, and what it did not sign on chain", async () => {
    const signatures: ((message: string) => Promise<Hex>)[] = [
      (message) => stranger.signMessage({ message }),
      (message) => keyOwner.signMessage({ message: `${message} ` }),
      async () => "0x",
      async () => "0x1234",
    ];
    for (const sign of signatures) {
      const { nonce, message } = await askWallet(TEST_CHAIN_ID);
      expect(await codeOf(show(nonce, await sign(message)))).toBe("wallet_signature_refused");
    }
  });

  test.each([
    ["where it has no code", BASE],
    ["that this service does not read", 5031],
  ])("is refused on a chain %s", async (_, chainId) => {
    const { nonce, message } = await askWallet(chainId);
    const signature = await keyOwner.signMessage({ message });
    expect(await codeOf(show(nonce, signature))).toBe("wallet_signature_refused");
  });

  test("is refused where a former owner deployed it again, whichever chain the revealer asks for", async () => {
    // The same address on another chain, with another owner: as a Safe after a change of owners.
    await elsewhere.client.setCode({
      address: wallet,
      bytecode: await codeOfWallet(stranger.address),
    });
    for (const chainId of [BASE, TEST_CHAIN_ID]) {
      const { nonce, message } = await askWallet(chainId);
      const signature = await stranger.signMessage({ message });
      expect(await codeOf(show(nonce, signature))).toBe("wallet_signature_refused");
    }
    // It counts there once the owner of the point system has chosen that chain.
    await chooseContractWalletChain(owner, BASE);
    const { nonce, message } = await askWallet(BASE);
    expect((await show(nonce, await stranger.signMessage({ message }))).code).toMatch(/^CODE-/);
  });

  test("counts on no chain while several are set up and none is chosen, and on the only one", async () => {
    await chooseContractWalletChain(owner, null);
    const refused = await askWallet(TEST_CHAIN_ID);
    const signature = await keyOwner.signMessage(refused);
    expect(await codeOf(show(refused.nonce, signature))).toBe("wallet_signature_refused");
    openChains({ RPC_URL_84532: [anvil.rpcUrl] });
    const { nonce, message } = await askWallet(TEST_CHAIN_ID);
    expect((await show(nonce, await keyOwner.signMessage({ message }))).code).toMatch(/^CODE-/);
  });

  test("is told to come back while too many others are checked", async () => {
    const hanging = http.createServer(() => {});
    openChains({ RPC_URL_84532: [`http://127.0.0.1:${await listen(hanging)}`] });
    const checks = await Promise.all(
      Array.from({ length: 80 }, async () => {
        const { nonce, message } = await askWallet(TEST_CHAIN_ID);
        return { nonce, signature: await keyOwner.signMessage({ message }) };
      }),
    );
    const outcomes = await tally(checks.map(({ nonce, signature }) => show(nonce, signature)));
    hanging.closeAllConnections();
    hanging.close();
    expect(outcomes.service_unavailable).toBeGreaterThanOrEqual(8);
    expect(outcomes.chain_unavailable).toBeGreaterThanOrEqual(8);
  });

  test("has no code shown for what is no signature", async () => {
    const { nonce } = await askWallet(TEST_CHAIN_ID);
    expect(await codeOf(show(nonce, `0x${"6492".repeat(16)}`))).toBe("wallet_signature_refused");
  });

  test("makes the service ask nobody else", async () => {
    const asked: string[] = [];
    const target = http.createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end(JSON.stringify({ data: "0x" }));
    });
    const url = `http://127.0.0.1:${await listen(target)}/inside`;
    const lookup = encodeErrorResult({
      abi: parseAbi(["error OffchainLookup(address, string[], bytes, bytes4, bytes)"]),
      args: [wallet, [url], "0x", "0x12345678", "0x"],
    });
    const node = http.createServer(async (request, response) => {
      const { id, method } = (await new Response(
        Readable.toWeb(request) as ReadableStream,
      ).json()) as { id: number; method: string };
      const error = { code: 3, message: "execution reverted", data: lookup };
      const answer = method === "eth_chainId" ? { result: toHex(TEST_CHAIN_ID) } : { error };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
    openChains({ RPC_URL_84532: [`http://127.0.0.1:${await listen(node)}`] });
    const { nonce, message } = await askWallet(TEST_CHAIN_ID);
    const signature = await stranger.signMessage({ message });
    expect(await codeOf(show(nonce, signature))).toBe("wallet_signature_refused");
    expect(asked).toEqual([]);
    for (const server of [target, node]) server.close();
  });

  test("is checked by the next endpoint when one does not answer, and refused by the first that does", async () => {
    openChains({ RPC_URL_84532: ["http://127.0.0.1:1", anvil.rpcUrl] });
    const { nonce, message } = await askWallet(TEST_CHAIN_ID);
    expect((await show(nonce, await keyOwner.signMessage({ message }))).code).toMatch(/^CODE-/);
    openChains({ RPC_URL_84532: [anvil.rpcUrl, "http://127.0.0.1:1"] });
    const refused = await askWallet(TEST_CHAIN_ID);
    const signature = await stranger.signMessage(refused);
    expect(await codeOf(show(refused.nonce, signature))).toBe("wallet_signature_refused");
  });

  test("is told when its chain does not answer, which is no refusal", async () => {
    openChains({ RPC_URL_84532: ["http://127.0.0.1:1"] });
    const { nonce, message } = await askWallet(TEST_CHAIN_ID);
    const signature = await keyOwner.signMessage({ message });
    expect(await codeOf(show(nonce, signature))).toBe("chain_unavailable");
  });
});
