import {
  type Account,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
  toHex,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { baseSepolia } from "viem/chains";
import { type Address, parseAddress } from "../app/domain/address";
import { listFundingCalls, type PlainCall } from "../app/domain/campaigns/calls";
import { campaignAbi } from "../app/domain/campaigns/contract";
import { distributeCall, type Payment } from "../app/domain/campaigns/pay-out";
import { toCampaignRef } from "../app/domain/campaigns/ref";
import type { RewardChainId } from "../app/domain/rewards/reward-chain";
import { formatTokenAmount } from "../app/domain/rewards/token-amount";
import { getMember, type Member } from "../app/services/access/members";
import { signIn } from "../app/services/accounts/sign-in";
import { buildAllocation } from "../app/services/campaigns/build/build";
import type { AllocationKey } from "../app/services/campaigns/build/order";
import { digestTerms, getCampaign } from "../app/services/campaigns/campaigns";
import { getChainPage } from "../app/services/campaigns/chain/page";
import { type LeafCursor, listPayments } from "../app/services/campaigns/chain/payments";
import { nameAdmin } from "../app/services/campaigns/chain/reports";
import { reportTransaction } from "../app/services/campaigns/chain/transactions";
import { startSplit } from "../app/services/campaigns/splits";
import { publish, updateDraft } from "../app/services/campaigns/steps";
import { grantPoints } from "../app/services/ledger/grants";
import { getClaimProof } from "../app/services/rewards/proof";
import { runQueuedJob } from "../app/services/runtime/job-queue";
import { deployCampaigns } from "../contracts/scripts/deploy-campaigns";
import { TEST_TOKEN_INIT_CODE, testTokenAbi } from "../contracts/test-tokens";
import { DEMO } from "./demo-fixture.mjs";

// Creates the demo's campaigns through the same steps as any campaign: split, funded and claimed on
// a chain.

/** The usual words of development chains. All of their keys are public. */
const MNEMONIC = "test test test test test test test test test test test junk";
const DEPLOYER_INDEX = 9;
/** The wallet in the demo's pages. It also pays for the campaigns, so that it can end them. */
const WALLET_INDEX = 2;
/** Holders who have already claimed when the demo opens. */
const HOLDER_INDEXES = [3, 4, 6, 7];
/** The holder who claims to another address, and that address. */
const ELSEWHERE_INDEX = 7;
const RECEIVER_INDEX = 8;
const SUPPLY_WEI = 10n ** 24n;

const getAccount = (addressIndex: number) => mnemonicToAccount(MNEMONIC, { addressIndex });
const addressOf = ({ address }: Account) => parseAddress(address) as Address;

export type DemoChain = Awaited<ReturnType<typeof prepareDemoChain>>;

/** Deploys the campaign contract and a token on the demo's new chain. */
export async function prepareDemoChain(rpcUrl: string) {
  const client = createWalletClient({ chain: baseSepolia, transport: http(rpcUrl) }).extend(
    publicActions,
  );
  const send = async (account: Account, call: Partial<PlainCall>) => {
    const receipt = await client.sendTransactionSync({ account, ...call });
    if (receipt.status !== "success") throw new Error(`${receipt.transactionHash} reverted`);
    return receipt;
  };
  const deployer = getAccount(DEPLOYER_INDEX);
  const privateKey = toHex(deployer.getHdKey().privateKey ?? new Uint8Array());
  await deployCampaigns({ chainId: DEMO.chainId, rpcUrl, privateKey, log: () => {} });
  const { contractAddress } = await send(deployer, {
    data: encodeDeployData({
      abi: testTokenAbi,
      bytecode: TEST_TOKEN_INIT_CODE,
      args: ["Harbor", "HRB", 18],
    }),
  });
  const token = parseAddress(contractAddress ?? "");
  if (!token) throw new Error("The demo's token was not deployed");
  const args = [DEMO.wallet as Address, SUPPLY_WEI] as const;
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "mint", args });
  await send(deployer, { to: token, data });
  return { token, send, holders: HOLDER_INDEXES.map((index) => addressOf(getAccount(index))) };
}

/** A campaign of the demo that is on its chain. */
interface OnChain {
  readonly rewardId: string;
  readonly contract: Address;
  readonly onchainId: bigint;
}

/**
 * Publishes the demo's campaigns, and brings all but one on chain: one is claimed by some holders, by
 * the last of them to another address; one is paid out to everybody; one is the first one's second round.
 */
export async function runDemoCampaigns(chain: DemoChain): Promise<void> {
  const owner = await signInAsOwner();
  const { active, claimed, paidOut, secondRound } = DEMO.rewards;
  await publishDraft(owner, active);
  const crew = await openOnChain(owner, chain, claimed);
  for (const index of HOLDER_INDEXES) await claim(chain, crew, index);
  await payOut(owner, chain, await openOnChain(owner, chain, paidOut));
  for (const address of [DEMO.wallet as Address, ...chain.holders]) {
    await grantPoints(owner, { address, points: 400, note: "Harbor festival" });
  }
  await openOnChain(owner, chain, secondRound, claimed);
}

async function signInAsOwner(): Promise<Member<"owner">> {
  const origin = { ip: "127.0.0.1", requestId: "demo" };
  const operator = await signIn(DEMO, origin);
  if ("ticket" in operator) throw new Error("The demo's operator has no second factor");
  const actor = { ...origin, operatorId: operator.id, email: operator.email };
  return getMember(actor, DEMO.pointSystemId, "owner");
}

/**
 * Publishes, splits and funds a campaign.
 * @param after the campaign since which points count; left out for all points
 */
async function openOnChain(
  owner: Member<"owner">,
  { send }: DemoChain,
  rewardId: string,
  after?: string,
): Promise<OnChain> {
  const wallet = getAccount(WALLET_INDEX);
  const admin = addressOf(wallet);
  await publishDraft(owner, rewardId, after);
  await startSplit(owner, rewardId, null);
  await runQueuedJob("build-allocation", build, {
    signal: new AbortController().signal,
    report: (error) => {
      throw error;
    },
  });
  await nameAdmin(owner, rewardId, admin);
  const { campaign, unfunded } = await getChainPage(owner, rewardId);
  const { contractAddress: contract, token, deadlineSeconds } = campaign;
  const terms = { contract, token, deadlineSeconds, admin, ref: toCampaignRef(rewardId) };
  let creation: Hex = "0x";
  for (const call of listFundingCalls(terms, null, unfunded.next)) {
    creation = (await send(wallet, call)).transactionHash;
  }
  await reportTransaction(owner, rewardId, creation);
  const { onchainId } = (await getChainPage(owner, rewardId)).campaign;
  if (onchainId === null) throw new Error(`The campaign ${rewardId} is not on the demo's chain`);
  return { rewardId, contract, onchainId };
}

/** Claims a holder's share. One holder has it paid to another address. */
async function claim({ send }: DemoChain, { contract, onchainId }: OnChain, index: number) {
  const holder = getAccount(index);
  const share = await getClaimProof(DEMO.chainId, onchainId, addressOf(holder));
  const { amountWei, merkleProof } = share;
  const call =
    index === ELSEWHERE_INDEX
      ? ({
          functionName: "claimTo",
          args: [onchainId, getAccount(RECEIVER_INDEX).address, amountWei, merkleProof],
        } as const)
      : ({ functionName: "claim", args: [onchainId, amountWei, merkleProof] } as const);
  await send(holder, { to: contract, data: encodeFunctionData({ abi: campaignAbi, ...call }) });
}

/** Pays a campaign out to everybody with the wallet in the demo's pages, in the page's batches. */
async function payOut(owner: Member<"owner">, { send }: DemoChain, { rewardId, ...on }: OnChain) {
  const chainId = DEMO.chainId;
  for (let after: LeafCursor | null = null; ; ) {
    const payments: Payment[] = await listPayments(owner, rewardId, after);
    if (payments.length === 0) return;
    const data = encodeFunctionData(distributeCall({ chainId, ...on }, payments));
    await send(getAccount(WALLET_INDEX), { to: on.contract, data });
    after = payments.at(-1) ?? null;
  }
}

/** Publishes a draft as its form does, reading the token from the chain. */
async function publishDraft(owner: Member<"owner">, rewardId: string, after = ""): Promise<void> {
  const draft = await getCampaign(owner, rewardId);
  await updateDraft(owner, rewardId, {
    ...draft,
    chainId: DEMO.chainId as RewardChainId,
    typedSymbol: "",
    typedDecimals: null,
    totalAmount: formatTokenAmount(draft.totalAmountWei, draft.tokenDecimals),
    pointsCounted: after,
  });
  await publish(owner, rewardId, digestTerms(await getCampaign(owner, rewardId)));
}

async function build(key: unknown): Promise<void> {
  await buildAllocation(key as AllocationKey);
}
