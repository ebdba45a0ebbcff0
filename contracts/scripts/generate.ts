import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Abi, getCreate2Address, zeroHash } from "viem";
import { type CompiledContract, compile, readCompilerInput } from "./compile";
import { SAFE_SINGLETON_FACTORY } from "./singleton-factory";

/** The sources, relative to the repository. */
export const CAMPAIGNS_FILE = "contracts/RewardCampaigns.sol";
const TOKENS_FILE = "contracts/tokens/TestTokens.sol";
const GUIDE = "docs/contract.md";
const WALLET_FILE = "contracts/wallets/TestWallet.sol";

const ROOT = path.join(import.meta.dirname, "../..");

/** Compiles the campaign contract as production uses it. */
export function compileCampaigns(): CompiledContract {
  return getContract(CAMPAIGNS_FILE, "RewardCampaigns");
}

function getContract(file: string, name: string): CompiledContract {
  const contract = compile(readCompilerInput(file), file)[name];
  if (!contract) throw new Error(`${file} has no contract ${name}`);
  return contract;
}

/** Generates the files' texts, by their names relative to the repository. */
export function generateFiles(): Readonly<Record<string, string>> {
  const campaigns = compileCampaigns();
  const tokens = compile(readCompilerInput(TOKENS_FILE), TOKENS_FILE);
  const { TestToken, FeeToken } = tokens;
  if (!TestToken || !FeeToken) throw new Error(`${TOKENS_FILE} lacks a token`);
  const wallet = getContract(WALLET_FILE, "TestWallet");
  const address = getCreate2Address({
    from: SAFE_SINGLETON_FACTORY,
    salt: zeroHash,
    bytecode: campaigns.initCode,
  }).toLowerCase();
  const files = {
    "app/domain/campaigns/contract.ts": `${header(CAMPAIGNS_FILE)}
/** The campaign contract's address on every chain: CREATE2, salt 0, by the Safe singleton factory. */
export const CAMPAIGN_CONTRACT_ADDRESS = "${address}";

/** The campaign contract's ABI. */
// biome-ignore format: a line an item.
export const campaignAbi = ${printAbi(campaigns.abi)};
`,
    "app/chain/campaigns/bytecode.ts": `${header(CAMPAIGNS_FILE)}
/** The code that creates the campaign contract. */
export const CAMPAIGN_INIT_CODE = "${campaigns.initCode}";

/** The code at the contract's address after the creation. */
export const CAMPAIGN_RUNTIME_CODE = "${campaigns.runtimeCode}";
`,
    "contracts/test-tokens.ts": `${header(TOKENS_FILE)}
/** The ABI of both tokens. */
// biome-ignore format: a line an item.
export const testTokenAbi = ${printAbi(TestToken.abi)};

export const TEST_TOKEN_INIT_CODE = "${TestToken.initCode}";

export const FEE_TOKEN_INIT_CODE = "${FeeToken.initCode}";
`,
    "tests/support/chain/test-wallet.ts": `${header(WALLET_FILE)}
// biome-ignore format: a line an item.
export const testWalletAbi = ${printAbi(wallet.abi)};

export const TEST_WALLET_INIT_CODE = "${wallet.initCode}";
`,
  };
  const formatted = Object.entries(files).map(([file, text]) => [file, format(file, text)]);
  return { ...Object.fromEntries(formatted), [GUIDE]: writeGuide(address) };
}

/** Puts the address into the guide's table of chains. */
function writeGuide(address: string): string {
  const guide = readFileSync(path.join(ROOT, GUIDE), "utf8");
  return guide.replaceAll(/(?<=^\| [^|]+ \| \d+ +\| `)0x[0-9a-f]{40}(?=`)/gm, address);
}

function header(source: string): string {
  return `// Made by \`npm run contracts:build\` from ${source}. Not to be edited.\n`;
}

/** Prints an ABI, a line an item, without the compiler's own data: the names of structs. */
function printAbi(abi: Abi): string {
  const items = abi.map((item) =>
    JSON.stringify(item, (key, value) => (key === "internalType" ? undefined : value)),
  );
  return `[\n${items.map((item) => `  ${item},\n`).join("")}] as const`;
}

function format(file: string, text: string): string {
  const biome = path.join(ROOT, "node_modules/.bin/biome");
  const result = spawnSync(biome, ["format", `--stdin-file-path=${file}`], {
    input: text,
    cwd: ROOT,
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`${file} was not formatted: ${result.stderr}`);
  return result.stdout;
}
