import { readFileSync } from "node:fs";
import path from "node:path";
import { type CompiledContract, compile, readCompilerInput } from "./compile";
import { EQUIVALENT } from "./equivalent-mutants";
import { runForge } from "./foundry";
import { CAMPAIGNS_FILE } from "./generate";
import { INVARIANT_MUTANTS, type InvariantMutant } from "./invariant-mutants";
import { listMutants, type Mutant } from "./mutations";

// npm run test:mutants: changes the campaign contract in one place at a time, and runs forge's
// tests on each change. The exit status is 1 unless every mutant dies or is listed as equivalent,
// with a reason, and each invariant alone notices the change that is listed for it.

const ROOT = path.join(import.meta.dirname, "../..");
const TIMEOUT_SECONDS = 120;

type Verdict = "dead" | "alive" | "same code" | "does not compile";

/**
 * Compiles without the slower IR pipeline: mutants need production's behaviour, not its exact code.
 */
function compileFast(source: string): CompiledContract {
  const input = readCompilerInput(CAMPAIGNS_FILE, {
    settings: { viaIR: false },
    replaced: { [CAMPAIGNS_FILE]: source },
  });
  const contract = compile(input, CAMPAIGNS_FILE).RewardCampaigns;
  if (!contract) throw new Error("No contract");
  return contract;
}

/**
 * Runs the unit tests first, which are quick and find most mutants; then fuzz tests and invariants,
 * with fewer runs.
 */
function isGreen(initCode: string): boolean {
  const env = { FOUNDRY_PROFILE: "fast", CAMPAIGN_INIT_CODE: initCode };
  const stages = ["--no-match-contract=Fuzz|Invariants", "--match-contract=Fuzz|Invariants"];
  return stages.every(
    (stage) => runForge(["test", "--fail-fast", stage], env, TIMEOUT_SECONDS).isGreen,
  );
}

function judge(mutant: Mutant, original: CompiledContract): Verdict {
  let code: CompiledContract;
  try {
    code = compileFast(mutant.source);
  } catch {
    return "does not compile";
  }
  if (code.initCode === original.initCode) return "same code";
  return isGreen(code.initCode) ? "alive" : "dead";
}

/** Checks that an invariant notices its change, for the reason that is listed. */
function isHeld({ invariant, before, after, reason }: InvariantMutant, source: string): boolean {
  if (!source.includes(before)) throw new Error(`The source no longer has: ${before}`);
  const { initCode } = compileFast(source.replace(before, () => after));
  const env = { FOUNDRY_PROFILE: "fast", CAMPAIGN_INIT_CODE: initCode, INVARIANT: invariant };
  const run = runForge(["test", "--match-contract=Invariants"], env, TIMEOUT_SECONDS);
  const isNoticed = !run.isGreen && reason.test(run.output);
  if (!isNoticed) console.log(`NOT HELD  ${invariant}: ${before} -> ${after}\n${run.output}`);
  return isNoticed;
}

function listInvariants(): string[] {
  const tests = readFileSync(path.join(ROOT, "contracts/test/Invariants.t.sol"), "utf8");
  return [...tests.matchAll(/isAsked\("(\w+)"\)/g)].map(([, name = ""]) => name);
}

const source = readFileSync(path.join(ROOT, CAMPAIGNS_FILE), "utf8");
const original = compileFast(source);
if (!isGreen(original.initCode))
  throw new Error("The contract itself fails: npm run test:contracts");

const held = INVARIANT_MUTANTS.filter((mutant) => isHeld(mutant, source));
const names = new Set(held.map(({ invariant }) => invariant));
for (const name of listInvariants()) {
  if (names.has(name)) continue;
  console.log(`NOT HELD BY A MUTANT: ${name}`);
  process.exitCode = 1;
}
console.log(`${names.size} invariants each notice a change alone`);

const mutants = listMutants(source);
const counts = { dead: 0, alive: 0, "same code": 0, "does not compile": 0, equivalent: 0 };
const unused = new Set(EQUIVALENT.keys());
for (const [n, mutant] of mutants.entries()) {
  const verdict = judge(mutant, original);
  const change = `${mutant.before} -> ${mutant.after}`;
  unused.delete(change);
  const isListed = verdict === "alive" && EQUIVALENT.has(change);
  counts[isListed ? "equivalent" : verdict] += 1;
  if (verdict === "alive" && !isListed) console.log(`ALIVE  line ${mutant.line}: ${change}`);
  if (verdict === "dead" && EQUIVALENT.has(change)) {
    console.log(`LISTED AS EQUIVALENT, BUT DEAD  line ${mutant.line}: ${change}`);
    process.exitCode = 1;
  }
  if (n % 25 === 24) console.error(`  ${n + 1} of ${mutants.length}`);
}
for (const change of unused)
  console.log(`LISTED AS EQUIVALENT, BUT THERE IS NO SUCH MUTANT: ${change}`);
const rest = `${counts["same code"]} compile to the same code, ${counts["does not compile"]} not at all`;
console.log(
  `${counts.dead} mutants died, ${counts.alive} live, ${counts.equivalent} are equivalent; ${rest}`,
);
if (counts.alive > 0 || unused.size > 0 || counts.dead === 0) process.exitCode = 1;
