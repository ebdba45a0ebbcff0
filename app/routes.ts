import { index, type RouteConfig, route } from "@remix-run/route-config";
import { getApiRouteId, listApiMounts } from "./api/endpoints";

/** The URL map: the documented endpoints at their three prefixes, then the pages. */
export default [
  ...listApiMounts().map(({ path, module }) =>
    route(path.slice(1), `api/${module}.ts`, { id: getApiRouteId(path) }),
  ),
  route("api/*", "api/not-found.ts"),
  index("routes/_index.tsx"),
  route("sign-in", "routes/_auth.sign-in.tsx"),
  route("sign-out", "routes/_auth.sign-out.ts"),
  route("set-up", "routes/_auth.set-up.tsx"),
  route("l/:slug", "routes/l.$slug.tsx"),
  route("l/:slug/embed", "routes/l.$slug.embed.tsx"),
  // A point system whose slug is "hint" has its claim page at its id.
  route("claim/hint", "routes/claim.hint.ts"),
  route("claim/:slug", "routes/claim.$slug.tsx"),
  route("claim/:slug/wallet", "routes/claim.$slug.wallet.ts"),
  route("claim/:slug/gift-card", "routes/claim.$slug.gift-card.ts"),
  route("csp-report", "routes/csp-report.ts"),
  route("sign-up", "routes/_auth.sign-up.tsx"),
  route("invitation", "routes/_auth.invitation.tsx"),
  route("reset-password", "routes/_auth.reset-password.tsx"),
  route("dashboard", "routes/dashboard.tsx", [
    index("routes/dashboard._index.tsx"),
    route("new", "routes/dashboard.new.tsx"),
    route("api-keys", "routes/dashboard.api-keys.tsx"),
    route("account", "routes/dashboard.account.tsx"),
    route("operators", "routes/dashboard.operators.tsx"),
    route("audit-log", "routes/dashboard.audit-log.tsx"),
    route("score-providers", "routes/dashboard.score-providers.tsx"),
    route("indexer", "routes/dashboard.indexer.tsx"),
    route(":pointSystemId", "routes/dashboard.$pointSystemId.tsx", [
      index("routes/dashboard.$pointSystemId._index.tsx"),
      route("live", "routes/dashboard.$pointSystemId.live.ts"),
      route("triggers", "routes/dashboard.$pointSystemId.triggers._index.tsx"),
      route("triggers/new", "routes/dashboard.$pointSystemId.triggers.new.tsx"),
      route("triggers/:triggerKey", "routes/dashboard.$pointSystemId.triggers.$triggerKey.tsx"),
      route("leaderboard", "routes/dashboard.$pointSystemId.leaderboard.tsx"),
      route("wallets/:address", "routes/dashboard.$pointSystemId.wallets.$address.tsx"),
      route("activity", "routes/dashboard.$pointSystemId.activity.tsx"),
      route("activity.csv", "routes/dashboard.$pointSystemId.activity.csv.ts"),
      route("imports", "routes/dashboard.$pointSystemId.imports._index.tsx"),
      route("imports/:importId", "routes/dashboard.$pointSystemId.imports.$importId.tsx"),
      route(
        "imports/:importId/problems.csv",
        "routes/dashboard.$pointSystemId.imports.problems.csv.ts",
      ),
      route("blacklist", "routes/dashboard.$pointSystemId.blacklist.tsx"),
      route("blacklist.csv", "routes/dashboard.$pointSystemId.blacklist-csv.ts"),
      route("audit-log", "routes/dashboard.$pointSystemId.audit-log.tsx"),
      route("members", "routes/dashboard.$pointSystemId.members.tsx"),
      route("settings", "routes/dashboard.$pointSystemId.settings.tsx"),
      route("search", "routes/dashboard.$pointSystemId.search.ts"),
      route(
        "wallets/:address/score",
        "routes/dashboard.$pointSystemId.wallets.$address_.score.tsx",
      ),
      route("rewards", "routes/dashboard.$pointSystemId.rewards._index.tsx"),
      route("rewards/new", "routes/dashboard.$pointSystemId.rewards.new.tsx"),
      route("rewards/:rewardId", "routes/dashboard.$pointSystemId.rewards.$rewardId.tsx", [
        index("routes/dashboard.$pointSystemId.rewards.$rewardId._index.tsx"),
        route("edit", "routes/dashboard.$pointSystemId.rewards.$rewardId.edit.tsx"),
        route("preview", "routes/dashboard.$pointSystemId.rewards.$rewardId.preview.tsx"),
        route("wallets", "routes/dashboard.$pointSystemId.rewards.$rewardId.wallets._index.tsx"),
        route(
          "wallets/:address",
          "routes/dashboard.$pointSystemId.rewards.$rewardId.wallets.$address.tsx",
        ),
        route("chain", "routes/dashboard.$pointSystemId.rewards.$rewardId.chain.tsx"),
      ]),
      route(
        "rewards/:rewardId/allocation.csv",
        "routes/dashboard.$pointSystemId.rewards.allocation-csv.ts",
      ),
      route(
        "rewards/:rewardId/trees.json",
        "routes/dashboard.$pointSystemId.rewards.trees-json.ts",
      ),
      route("rewards/:rewardId/safe.json", "routes/dashboard.$pointSystemId.rewards.safe-json.ts"),
      route("gift-cards/new", "routes/dashboard.$pointSystemId.gift-cards.new.tsx"),
      route("gift-cards/:rewardId", "routes/dashboard.$pointSystemId.gift-cards.$rewardId.tsx"),
      route(
        "gift-cards/:rewardId/edit",
        "routes/dashboard.$pointSystemId.gift-cards.$rewardId_.edit.tsx",
      ),
      route(
        "gift-cards/:rewardId/codes",
        "routes/dashboard.$pointSystemId.gift-cards.$rewardId_.codes.tsx",
      ),
    ]),
  ]),
] satisfies RouteConfig;
