import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { getCreate2Address, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { CAMPAIGN_INIT_CODE, CAMPAIGN_RUNTIME_CODE } from "../../app/chain/campaigns/bytecode";
import { CAMPAIGN_CONTRACT_ADDRESS, campaignAbi } from "../../app/domain/campaigns/contract";
import { REWARD_CHAIN_IDS } from "../../app/domain/rewards/reward";
import { compile, readCompilerInput } from "../../contracts/scripts/compile";
import { EQUIVALENT } from "../../contracts/scripts/equivalent-mutants";
import { CAMPAIGNS_FILE, generateFiles } from "../../contracts/scripts/generate";
import { listMutants } from "../../contracts/scripts/mutations";
import { SAFE_SINGLETON_FACTORY } from "../../contracts/scripts/singleton-factory";

/** The largest size of a contract's code, by EIP-170. */
const CODE_BYTES_MAX = 24_576;

describe("the contracts' build", () => {
  test("the generated files are what the sources make", () => {
    const files = Object.entries(generateFiles());
    expect(files).toHaveLength(5);
    for (const [file, text] of files) expect(readFileSync(file, "utf8"), file).toBe(text);
  });

  test("the address is CREATE2's, by the Safe singleton factory with salt 0", () => {
    const address = getCreate2Address({
      from: SAFE_SINGLETON_FACTORY,
      salt: zeroHash,
      bytecode: CAMPAIGN_INIT_CODE,
    });
    expect(CAMPAIGN_CONTRACT_ADDRESS).toBe(address.toLowerCase());
  });

  test("the guide names this address for every chain, and nothing else repeats it", () => {
    const guide = readFileSync("docs/contract.md", "utf8");
    const rows = guide.matchAll(/^\| [^|]+ \| (\d+) +\| `(0x[0-9a-f]{40})` \|$/gm);
    expect([...rows].map(([, chainId, address]) => [Number(chainId), address])).toEqual(
      REWARD_CHAIN_IDS.map((chainId) => [chainId, CAMPAIGN_CONTRACT_ADDRESS]),
    );
    const named = spawnSync("git", ["grep", "-il", CAMPAIGN_CONTRACT_ADDRESS], {
      encoding: "utf8",
    });
    expect(named.stdout.trim().split("\n")).toEqual([
      "app/domain/campaigns/contract.ts",
      "docs/contract.md",
    ]);
  });

  test("the guide reports the mutants of this source", () => {
    const [, all, dead, broken, equivalent] =
      /of (\d+) changes, (\d+) made a test fail, (\d+) do not compile, (\d+) behave/
        .exec(readFileSync("docs/contract.md", "utf8"))
        ?.map(Number) ?? [];
    expect(all).toBe(listMutants(readFileSync(CAMPAIGNS_FILE, "utf8")).length);
    expect(equivalent).toBe(EQUIVALENT.size);
    expect((dead ?? 0) + (broken ?? 0) + EQUIVALENT.size).toBe(all);
  });

  test("a changed source makes another code", () => {
    const source = readFileSync(CAMPAIGNS_FILE, "utf8");
    const changed = source.replace("block.timestamp > deadline", "block.timestamp >= deadline");
    expect(changed).not.toBe(source);
    const input = readCompilerInput(CAMPAIGNS_FILE, { replaced: { [CAMPAIGNS_FILE]: changed } });
    const code = compile(input, CAMPAIGNS_FILE).RewardCampaigns?.initCode;
    expect(code).toMatch(/^0x60/);
    expect(code).not.toBe(CAMPAIGN_INIT_CODE);
  });

  test("what explorers are given to verify compiles to the code that is deployed", () => {
    const standardJson = JSON.parse(JSON.stringify(readCompilerInput(CAMPAIGNS_FILE)));
    expect(Object.keys(standardJson.sources)).toEqual([
      "contracts/RewardCampaigns.sol",
      "solady/utils/SafeTransferLib.sol",
      "contracts/IRewardCampaigns.sol",
    ]);
    const contract = compile(standardJson, CAMPAIGNS_FILE).RewardCampaigns;
    expect(contract).toMatchObject({
      initCode: CAMPAIGN_INIT_CODE,
      runtimeCode: CAMPAIGN_RUNTIME_CODE,
    });
    expect(CAMPAIGN_RUNTIME_CODE.length / 2 - 1).toBeLessThan(CODE_BYTES_MAX);
  });

  test("a source that does not compile, or that the compiler warns of, is refused", () => {
    const compileText = (text: string) =>
      compile(readCompilerInput("contracts/X.sol", { replaced: { "contracts/X.sol": text } }), "");
    const head = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.28;\n";
    expect(() => compileText(`${head}contract X { uint256 x = y; }`)).toThrow("Undeclared");
    expect(() => compileText(`${head}contract X { function f() public { uint256 a; } }`)).toThrow(
      "Unused local variable",
    );
  });

  test("the ABI has each error that a caller can meet, the transfers' too", () => {
    const errors = campaignAbi.filter(({ type }) => type === "error").map(({ name }) => name);
    expect(errors).toEqual([
      "AlreadyClaimed",
      "ETHTransferFailed",
      "Expired",
      "InsufficientFunds",
      "InvalidBucket",
      "InvalidProof",
      "InvalidTerms",
      "NotActive",
      "NotAdmin",
      "NotEnoughGas",
      "Reentered",
      "RefUsed",
      "StillClaimable",
      "TransferFailed",
      "TransferFromFailed",
      "WrongAmountReceived",
      "ZeroAddress",
    ]);
  });
});
