/** A change of the contract that breaks one invariant. */
export interface InvariantMutant {
  /** The name in contracts/test/Invariants.t.sol. */
  readonly invariant: string;
  readonly before: string;
  readonly after: string;
  /** The check that must fail: the invariant's own, or the handler's for the same guarantee. */
  readonly reason: RegExp;
}

const PAID_TWICE = /paid when not due|paid what is not due|a leaf's payments/;

/** Each invariant with a change that it must notice when no other test runs. */
export const INVARIANT_MUTANTS: readonly InvariantMutant[] = [
  {
    invariant: "bucketsConserveTheirTotals",
    before: "b.book = EXISTS | amount;",
    after: "b.book = EXISTS | (amount + 1);",
    reason: /: total\]/,
  },
  {
    invariant: "eachTokenIsConserved",
    before: "b.book = EXISTS | amount;",
    after: "b.book = EXISTS | (amount + 1);",
    reason: /(token|coin) sum/,
  },
  {
    invariant: "aLeafIsPaidOnce",
    before: "book |= mark;",
    after: "",
    reason: PAID_TWICE,
  },
  {
    invariant: "aBucketPaysWhatItHolds",
    before: "if (amount > book & AMOUNT_MAX) revert InsufficientFunds();",
    after: "",
    // Either the contract pays too much, or its own arithmetic stops it.
    reason: /paid when not due|paid what is not due|more than was put in|arithmetic underflow/,
  },
  {
    invariant: "usedRefsStayUsed",
    before: "idOf[msg.sender][ref] = id;",
    after: "",
    reason: /a ref was used twice|a used ref/,
  },
  {
    invariant: "deadlinesOnlyGrow",
    before: "later <= deadline",
    after: "later == deadline",
    reason: /a deadline that did not grow|an earlier deadline/,
  },
  {
    invariant: "theEventsTellTheBooks",
    before: "emit DeadlineExtended(id, later);",
    after: "",
    reason: /terms in the events/,
  },
  {
    invariant: "theBalancesCoverWhatIsUnclaimed",
    before: "_pay(a.token, to, total);",
    after: "_pay(a.token, to, total - 1);",
    reason: /: (token|coin)\]/,
  },
  {
    invariant: "termsStand",
    before: "(a.admin, a.pendingAdmin) = (msg.sender, address(0));",
    after: "a.admin = msg.sender;",
    reason: /: admin\]|accepted by another/,
  },
];
