// The engine and the test files of `npm run test:citus`.
import { existsSync } from "node:fs";
import path from "node:path";

/** Debian's PostgreSQL, over a copy of which the archive is unpacked. */
export const DEBIAN_ROOTS = ["usr/lib/postgresql/15", "usr/share/postgresql/15"];
export const ARCHIVE = path.resolve("../shared/engine/citus-13.2.2-pg15-linux-x64.tar.xz");

/** Checks whether there is a PostgreSQL with Citus: in CITUS_BIN, or as an archive beside the checkout. */
export function hasCitus() {
  if (process.env.CITUS_BIN) return existsSync(path.join(process.env.CITUS_BIN, "postgres"));
  return existsSync(ARCHIVE) && DEBIAN_ROOTS.every((root) => existsSync(`/${root}`));
}

/** The tests that the deep rung runs on Citus: the engine's own, and the ledger's through the API. */
export const CITUS_CORE = [
  "tests/citus/",
  "tests/api/leaderboard.test.ts",
  "tests/api/points.test.ts",
  "tests/api/spending.test.ts",
  "tests/api/trigger-batch.test.ts",
  "tests/api/wallet.test.ts",
  "tests/services/imports/imports.test.ts",
];

/** The walks in the browser that `npm run test:citus` runs, each server on a distributed database of its own. */
export const CITUS_WALKS = ["tests/e2e/"];

/** Those of the deep rung. */
export const CITUS_CORE_WALKS = [
  "tests/e2e/first-credit.spec.ts",
  "tests/e2e/board/wallets.spec.ts",
];

/** The tests of services and of the API that `npm run test:citus` runs: all of the ledger, and what counts it. */
export const CITUS_FILES = [
  ...CITUS_CORE,
  "tests/api/activity.test.ts",
  "tests/api/boards.test.ts",
  "tests/api/boosts.test.ts",
  "tests/api/include.test.ts",
  "tests/api/progress.test.ts",
  "tests/api/public-endpoints.test.ts",
  "tests/api/request-log.test.ts",
  "tests/api/rewards/claim-status.test.ts",
  "tests/api/rewards/rewards.test.ts",
  "tests/api/rewards/wallet.test.ts",
  "tests/api/score.test.ts",
  "tests/api/trigger-caps.test.ts",
  "tests/api/trigger.test.ts",
  "tests/api/wallets.test.ts",
  "tests/services/accounts/members.test.ts",
  "tests/services/accounts/operators.test.ts",
  "tests/services/accounts/set-up.test.ts",
  "tests/services/accounts/sign-in.test.ts",
  "tests/services/activity/",
  "tests/services/api-keys/",
  "tests/services/board/board-windows.test.ts",
  "tests/services/board/boards.test.ts",
  "tests/services/board/ended-boards.test.ts",
  "tests/services/board/public-board.test.ts",
  "tests/services/board/rank-change.test.ts",
  "tests/services/board/rank-counts.test.ts",
  "tests/services/campaigns/build-refusals.test.ts",
  "tests/services/campaigns/build.slow.test.ts",
  "tests/services/campaigns/campaigns.test.ts",
  "tests/services/campaigns/chain.slow.test.ts",
  "tests/services/campaigns/contract-missing.slow.test.ts",
  "tests/services/campaigns/counted-points.test.ts",
  "tests/services/campaigns/linked-wallets.test.ts",
  "tests/services/campaigns/payments.test.ts",
  "tests/services/campaigns/payouts.test.ts",
  "tests/services/campaigns/preview.test.ts",
  "tests/services/campaigns/safe-file.slow.test.ts",
  "tests/services/campaigns/token.slow.test.ts",
  "tests/services/claims/hint.slow.test.ts",
  "tests/services/claims/indexer.slow.test.ts",
  "tests/services/claims/look-up.test.ts",
  "tests/services/claims/overview.test.ts",
  "tests/services/claims/reconcile.slow.test.ts",
  "tests/services/fixture/ledger.test.ts",
  "tests/services/fixture/rewards.test.ts",
  "tests/services/follower/",
  "tests/services/gift-cards/counted-points.test.ts",
  "tests/services/gift-cards/distribution.test.ts",
  "tests/services/gift-cards/gift-cards.test.ts",
  "tests/services/gift-cards/linked-wallets.test.ts",
  "tests/services/imports/queue.test.ts",
  "tests/services/insights/program.test.ts",
  "tests/services/ledger/archives.test.ts",
  "tests/services/ledger/boosts.test.ts",
  "tests/services/ledger/spending.test.ts",
  "tests/services/ledger/trigger-caps.test.ts",
  "tests/services/point-systems/fold.test.ts",
  "tests/services/point-systems/point-systems.test.ts",
  "tests/services/point-systems/purge.test.ts",
  "tests/services/point-systems/sandbox.test.ts",
  "tests/services/point-systems/triggers.test.ts",
  "tests/services/progress/streaks.test.ts",
  "tests/services/progress/tiers.test.ts",
  "tests/services/search/",
  "tests/services/wallet-links/histories.test.ts",
  "tests/services/wallet-links/links.test.ts",
  "tests/services/webhooks/events.test.ts",
  "tests/services/webhooks/webhooks.slow.test.ts",
];
