import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CAMPAIGN_RUNTIME_CODE } from "../../../app/chain/campaigns/bytecode";
import { openChains } from "../../../app/chain/rpc/chains";
import type { Address } from "../../../app/domain/address";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import type { Member } from "../../../app/services/access/members";
import { findContract, getChainPage } from "../../../app/services/campaigns/chain/page";
import { nameAdmin } from "../../../app/services/campaigns/chain/reports";
import { createCampaignBatch } from "../../../app/services/campaigns/chain/safe";
import { getTestAccount, startAnvil } from "../../support/chain/anvil";
import { storeBuiltCampaign } from "../../support/chain/campaigns";
import { codeOf, createOwner, failureOf } from "../../support/operators";

// A call with the chain's coin to an address without code succeeds, and the coin is lost. So nothing
// may be offered to sign before the contract was seen.

const admin = getTestAccount(0).address.toLowerCase() as Address;
const OTHER_ADDRESS = "0x00000000000000000000000000000000000000c2";
const OTHER_CODE = `0x${CAMPAIGN_RUNTIME_CODE.slice(2, -2)}00` as const;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
let owner: Member<"owner">;
beforeAll(async () => {
  anvil = await startAnvil();
  owner = await createOwner();
});
beforeEach(() => openChains({ RPC_URL_84532: [anvil.rpcUrl] }));
afterAll(async () => {
  openChains({});
  await anvil.stop();
});

/** Builds a campaign in the chain's coin. */
const build = () =>
  storeBuiltCampaign({
    pointSystemId: owner.pointSystemId,
    token: null,
    shares: [{ address: admin, amountWei: 7n }],
  });

const setCode = (bytecode: `0x${string}`) =>
  anvil.client.setCode({ address: CAMPAIGN_CONTRACT_ADDRESS, bytecode });

const look = async (rewardId: string) => findContract(await getChainPage(owner, rewardId));

test.each([
  ["absent", "0x", "contract_absent", "84532"],
  ["different", OTHER_CODE, "contract_different", CAMPAIGN_CONTRACT_ADDRESS],
] as const)(
  "no admin is named and no Safe's file is made where the contract is %s",
  async (state, code, failureCode, named) => {
    const { rewardId } = await build();
    const later = await build();
    await nameAdmin(owner, later.rewardId, admin);
    await setCode(code);
    try {
      expect(await look(rewardId)).toBe(state);
      const failure = await failureOf(nameAdmin(owner, rewardId, admin));
      expect([failure.code, failure.details.name]).toEqual([failureCode, named]);
      expect((await getChainPage(owner, rewardId)).campaign.adminAddress).toBeNull();
      // An admin who was named in time gets no file either.
      expect(await codeOf(createCampaignBatch(owner, later.rewardId, null))).toBe(failureCode);
    } finally {
      await setCode(CAMPAIGN_RUNTIME_CODE);
    }
    expect(await look(rewardId)).toBe("deployed");
    await nameAdmin(owner, rewardId, admin);
    const { transactions } = await createCampaignBatch(owner, rewardId, null);
    expect(transactions).toMatchObject([{ to: CAMPAIGN_CONTRACT_ADDRESS, value: "7" }]);
  },
);

test("the address that is set for a chain is the one that is looked at", async () => {
  const { rewardId } = await build();
  openChains({ RPC_URL_84532: [anvil.rpcUrl], CAMPAIGN_CONTRACT_84532: OTHER_ADDRESS });
  expect(await look(rewardId)).toBe("absent");
  expect(await codeOf(nameAdmin(owner, rewardId, admin))).toBe("contract_absent");
  await anvil.client.setCode({ address: OTHER_ADDRESS, bytecode: CAMPAIGN_RUNTIME_CODE });
  expect(await look(rewardId)).toBe("deployed");
});

test("a chain that does not answer, or is not set up, is not taken for one with the contract", async () => {
  const { rewardId } = await build();
  await nameAdmin(owner, rewardId, admin);
  openChains({ RPC_URL_84532: ["http://127.0.0.1:9"] });
  expect(await look(rewardId)).toBeNull();
  expect(await codeOf(createCampaignBatch(owner, rewardId, null))).toBe("chain_unavailable");
  openChains({});
  expect(await look(rewardId)).toBeNull();
  expect(await codeOf(createCampaignBatch(owner, rewardId, null))).toBe("chain_not_configured");
});
