// Creates mutants of the campaign contract's source, with one change each.

/** A source with one change. */
export interface Mutant {
  readonly line: number;
  readonly before: string;
  readonly after: string;
  readonly source: string;
}

type Rule = readonly [pattern: RegExp, replacements: readonly string[]];

/** Replaces each match of a pattern by each of the texts in turn. */
const RULES: readonly Rule[] = [
  // Comparisons
  [/ == /g, [" != "]],
  [/ != /g, [" == "]],
  [/ < /g, [" <= ", " > "]],
  [/ <= /g, [" < ", " > "]],
  [/ > /g, [" >= ", " < "]],
  [/ && /g, [" || "]],
  [/ \|\| /g, [" && "]],
  [/ && !/g, [" && "]],
  // Arithmetic
  [/ & /g, [" | "]],
  [/ \| /g, [" & ", " ^ "]],
  [/ \|= /g, [" &= ", " = "]],
  [/ \+= /g, [" = ", " -= "]],
  [/ \+ /g, [" - "]],
  [/ - /g, [" + "]],
  [/ << /g, [" >> "]],
  [/ >> /g, [" << "]],
  [/\+\+airdropCount/g, ["airdropCount"]],
  [/\+\+paid/g, ["paid"]],
  [/\b63\b/g, ["64", "62"]],
  [/\bHAND_OVER_GAS\b(?! =)/g, ["0"]],
  [/; \+\+i\)/g, ["; i += 2)"]],
  [/uint256 i;/g, ["uint256 i = 1;"]],
  // Constants
  [/\b127\b/g, ["126", "128"]],
  [/\b128\b/g, ["127", "129"]],
  [/\b0xff\b/g, ["0x7f", "0x1ff"]],
  [/>> 8\b/g, [">> 7", ">> 9"]],
  [/\b1 << /g, ["2 << ", "0 << "]],
  [/ != 0\b/g, [" != 1"]],
  [/ == 0\b/g, [" == 1"]],
  [/Status\.Active\b/g, ["Status.Cancelled", "Status.None"]],
  [/Status\.Cancelled\b/g, ["Status.Active", "Status.None"]],
  [/= true;/g, ["= false;"]],
  [/= false;/g, ["= true;"]],
  [/address\(0\)/g, ["address(1)"]],
  [/AMOUNT_MAX\b(?! =)/g, ["EXISTS"]],
  [/\bEXISTS\b(?! =)/g, ["AMOUNT_MAX"]],
  [/\bBOOK_MARKS\b(?! =)/g, ["(BOOK_MARKS - 1)", "(BOOK_MARKS + 1)"]],
  // Who and what
  [/msg\.sender/g, ["tx.origin"]],
  [/block\.timestamp/g, ["block.number"]],
  [/address\(this\)/g, ["msg.sender"]],
  [/mstore\(0x00, account\)/g, ["mstore(0x00, caller())", "mstore(0x00, origin())"]],
  [/a\.admin\b/g, ["a.pendingAdmin"]],
  [/a\.pendingAdmin\b/g, ["a.admin"]],
  // Statements
  [/if \((.+)\) revert \w+\(\);/g, [""]],
  [/if \((.+)\) revert/g, ["if (!($1)) revert"]],
  [/revert (?!Reentered)\w+\(\)/g, ["revert Reentered()"]],
  [/revert Reentered\(\)/g, ["revert ZeroAddress()"]],
  [
    /^( +)(?! |return|if|for|else|let|import|using|uint|mapping|address|bytes|bool|Status|Airdrop|Bucket|\()[^/;]+;/g,
    ["$1"],
  ],
  // Assembly
  [/\bgt\(/g, ["lt("]],
  [/^( +)(?:mstore\(.*\)|\w+ := .+)$/g, ["$1"]],
  [/\b0x20\b/g, ["0x00"]],
  [/\b0x40\b/g, ["0x20"]],
  [/\b0x00\b/g, ["0x20"]],
  [/shl\(5,/g, ["shl(6,", "shl(4,"]],
];

/** Changes that the rules do not make: arguments swapped, checks moved, the wrong thing counted. */
const PICKED: readonly (readonly [before: string, after: string])[] = [
  ["_take(id, msg.sender, amount, proof);", "_take(id, to, amount, proof);"],
  ["_claim(id, account, amount, proof);", "_claim(id, msg.sender, amount, proof);"],
  ["_take(id, account, amount, proof);", "_take(id, msg.sender, amount, proof);"],
  ["_claim(calls[i].id, msg.sender,", "_claim(calls[0].id, msg.sender,"],
  ["calls[i].amount, calls[i].proof", "calls[i].amount, calls[0].proof"],
  ["emit Claimed(id, account, amount, root);", "emit Claimed(id, msg.sender, amount, root);"],
  ["emit Claimed(id, account, amount, root);", "emit Claimed(amount, account, id, root);"],
  ["emit Claimed(id, account, amount, root);", "emit Claimed(id, account, amount, proof[0]);"],
  ["emit Redirected(id, msg.sender, root, to);", "emit Redirected(id, to, root, msg.sender);"],
  ["emit Redirected(id, msg.sender, root, to);", "emit Redirected(id, msg.sender, proof[0], to);"],
  ["emit Skipped(p.id, p.account, p.amount,", "emit Skipped(p.amount, p.account, p.id,"],
  ["emit Skipped(p.id, p.account, p.amount,", "emit Skipped(p.id, msg.sender, p.amount,"],
  ["bytes4(reason));", "bytes4(0));"],
  ["payments[i];", "payments[0];"],
  ["{gas: gasEach}", ""],
  ["{gas: gasEach}", "{gas: gasEach / 2}"],
  ["gasEach / 63", "gasEach / 100"],
  ["this.claimFor{gas: gasEach}(p.account,", "this.claimFor{gas: gasEach}(msg.sender,"],
  ["_pay(token, to, amount);", "_pay(token, msg.sender, amount);"],
  ["_pay(token, to, amount);", "_pay(address(0), to, amount);"],
  ["_pay(token, account, amount);", "_pay(token, msg.sender, amount);"],
  ["_pay(token, account, amount);", "_pay(address(0), account, amount);"],
  ["_pay(a.token, to, total);", "_pay(a.token, msg.sender, total);"],
  ["emit Refunded(id, to, total, roots,", "emit Refunded(id, msg.sender, total, roots,"],
  ["amounts[i] = left;", "amounts[0] = left;"],
  ["amounts[i] = left;", "amounts[i] = total;"],
  ["idOf[msg.sender][ref]", "idOf[admin][ref]"],
  ["idOf[msg.sender][ref]", "idOf[address(0)][ref]"],
  ["idOf[msg.sender][ref] = id;", "idOf[msg.sender][ref] = 1;"],
  ["ref == 0 || ", ""],
  ["a.deadline = later;", "a.deadline = deadline + 1;"],
  ["a.deadline = later;", "a.deadline = 0;"],
  ["emit DeadlineExtended(id, later);", "emit DeadlineExtended(id, deadline);"],
  ["_readMarks(b, words[i]);", "_readMarks(b, words[0]);"],
  ["_readMarks(b, words[i]);", "_readMarks(b, i);"],
  ["marks |= b.book >> BOOK_MARKS", "marks = b.book >> BOOK_MARKS"],
  [
    "emit AirdropCreated(id, admin, ref, msg.sender, token, deadline);",
    "emit AirdropCreated(id, msg.sender, ref, msg.sender, token, deadline);",
  ],
  [
    "emit AirdropCreated(id, admin, ref, msg.sender, token, deadline);",
    "emit AirdropCreated(id, admin, ref, admin, token, deadline);",
  ],
  ["(token, deadline, Status.Active, admin);", "(token, deadline, Status.Active, msg.sender);"],
  ["(token, deadline, Status.Active, admin);", "(token, 0, Status.Active, admin);"],
  ["(token, deadline, Status.Active, admin);", "(admin, deadline, Status.Active, token);"],
  [
    "token.safeTransferFrom(msg.sender, address(this), total);",
    "token.safeTransferFrom(a.admin, address(this), total);",
  ],
  [
    "token.safeTransferFrom(msg.sender, address(this), total);",
    "token.safeTransferFrom(msg.sender, address(this), msg.value);",
  ],
  [
    "token.safeTransferFrom(msg.sender, address(this), total);",
    "if (total != 0) token.safeTransferFrom(msg.sender, address(this), total);",
  ],
  ["!= held + total", "< held + total"],
  ["!= held + total", "> held + total"],
  ["msg.value != total", "msg.value < total"],
  ["msg.value != total", "msg.value > total"],
  ["b.book = book - left;", "delete b.book;"],
  ["b.book = book - left;", "b.book = book & ~EXISTS;"],
  ["if (total != 0) _pay(", "_pay("],
  ["if (roots.length != 0) _refund", "_refund"],
  ["buckets[i].root, buckets[i].total", "buckets[0].root, buckets[i].total"],
  ["buckets[i].root, buckets[i].total", "buckets[i].root, buckets[0].total"],
  ["a.buckets[roots[i]]", "a.buckets[roots[0]]"],
  ["(a.admin, a.pendingAdmin) = (msg.sender, address(0));", "a.admin = msg.sender;"],
  ["emit AdminProposed(id, pendingAdmin);", "emit AdminProposed(id, msg.sender);"],
  ["marker := calldataload(offset)", "marker := calldataload(sub(end, 0x20))"],
  ["if eq(offset, end) { break }", "break"],
  ["mstore(0x00, keccak256(0x00, 0x40))", "mstore(0x00, keccak256(0x00, 0x20))"],
  ["node := keccak256(0x00, 0x20)", "node := mload(0x00)"],
  ["offset := add(offset, 0x20)", "offset := add(offset, 0x40)"],
  [
    "if (token == address(0)) to.safeTransferETH(amount);",
    "if (token == address(0)) to.forceSafeTransferETH(amount, 100000);",
  ],
  [
    "if (token == address(0)) to.safeTransferETH(amount);",
    'if (token == address(0)) to.trySafeTransferETH(amount, 100000, 0, "");',
  ],
  ["else token.safeTransfer(to, amount);", "else token.safeTransferAll(to);"],
  ["b.marks[marker >> 8] = marks | mark;", "b.marks[marker >> 8] = mark;"],
  ["b.marks[marker >> 8] = marks | mark;", "b.marks[0] = marks | mark;"],
  ["uint256 marks = b.marks[marker >> 8];", "uint256 marks = b.marks[0];"],
];

/**
 * Checks whether a line is code. Comments and the lines before the first function or constant are
 * not changed.
 */
function isCode(line: string): boolean {
  return !/^\s*(\/\/|\*|import|pragma|using|error|event)/.test(line);
}

/** Lists the mutants of a source, each once. */
export function listMutants(source: string): Mutant[] {
  const lines = source.split("\n");
  const mutants = new Map<string, Mutant>();
  const add = (index: number, code: string) => {
    const before = lines[index] ?? "";
    const changed = lines.with(index, code).join("\n");
    if (code.trim() === before.trim() || mutants.has(changed)) return;
    mutants.set(changed, {
      line: index + 1,
      before: before.trim(),
      after: code.trim(),
      source: changed,
    });
  };
  lines.forEach((line, index) => {
    if (!isCode(line)) return;
    const [code = "", comment] = line.split(/(?= \/\/)/);
    for (const [pattern, replacements] of RULES) {
      for (const match of code.matchAll(pattern)) {
        for (const replacement of replacements) {
          const text = match[0].replace(new RegExp(pattern.source), replacement);
          // A pattern with a look-ahead or an anchor may not match its text alone.
          const changed = text === match[0] ? replacement : text;
          const rest = code.slice(match.index + match[0].length);
          add(index, code.slice(0, match.index) + changed + rest + (comment ?? ""));
        }
      }
    }
  });
  for (const [before, after] of PICKED) {
    const places = lines.flatMap((line, index) => (line.includes(before) ? [index] : []));
    if (places.length === 0) throw new Error(`The source no longer has: ${before}`);
    for (const index of places)
      add(
        index,
        (lines[index] ?? "").replace(before, () => after),
      );
  }
  return [...mutants.values()];
}
