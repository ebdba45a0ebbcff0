/** The beginning of the management API's paths, after the prefix. */
export const MANAGE_PREFIX = "manage/v1/";

const row = <Method extends "GET" | "POST">(method: Method, summary: string) => ({
  method,
  permission: "manage" as const,
  summary,
});
const read = (summary: string) => row("GET", summary);
const write = (summary: string) => row("POST", summary);

/**
 * The endpoints of the management API by their path after the prefix. The operation of a path is in
 * `manage/operations.ts`.
 */
export const MANAGE_ENDPOINTS = {
  "manage/v1/point-systems": read("Lists the point systems that the key manages"),
  "manage/v1/point-system": read("Gives a point system with its totals"),
  "manage/v1/point-systems/create": write("Creates a point system, which the key then manages"),
  "manage/v1/point-systems/update": write("Changes a point system's name and public address"),
  "manage/v1/point-systems/clear": write("Clears a sandbox: its events, wallets and rewards"),
  "manage/v1/triggers": read("Lists the triggers of a point system"),
  "manage/v1/triggers/create": write("Creates an active trigger"),
  "manage/v1/triggers/update": write("Changes a trigger's name and points"),
  "manage/v1/triggers/switch": write("Switches a trigger on or off"),
  "manage/v1/triggers/delete": write("Deletes a trigger; its events stay"),
  "manage/v1/boards": read("Lists the boards beside the all-time board"),
  "manage/v1/boards/create": write("Creates a board"),
  "manage/v1/boards/update": write("Changes a board, and the times of a season"),
  "manage/v1/boards/end": write("Ends a board now, which freezes it"),
  "manage/v1/boards/delete": write("Deletes a board with its past windows"),
  "manage/v1/keys": read("Lists the API keys that reach a point system"),
  "manage/v1/keys/create": write("Creates an API key, which is answered once"),
  "manage/v1/keys/revoke": write("Revokes an API key at once"),
  "manage/v1/standings": read("Gives the standing of many wallets at once"),
  "manage/v1/blacklist": read("Lists the blacklist, newest first"),
  "manage/v1/blacklist/add": write("Adds wallets to the blacklist"),
  "manage/v1/blacklist/remove": write("Removes wallets from the blacklist"),
  "manage/v1/grants/create": write("Grants points to a wallet"),
  "manage/v1/voids/create": write("Voids an event, which takes its points back"),
  "manage/v1/imports": read("Lists the imports, newest first"),
  "manage/v1/import": read("Gives an import's state, and a draft's preview"),
  "manage/v1/imports/upload": write("Uploads rows of wallets and points as a draft"),
  "manage/v1/imports/layout": write("Sets how a draft's rows are read"),
  "manage/v1/imports/commit": write("Commits a draft, which credits its rows"),
  "manage/v1/imports/undo": write("Undoes an import, which takes its points back"),
  "manage/v1/imports/retry": write("Takes an import up again whose work was given up"),
  "manage/v1/imports/discard": write("Discards a draft"),
  "manage/v1/campaigns": read("Lists the campaigns, newest first"),
  "manage/v1/campaign": read("Gives a campaign with its terms and its state"),
  "manage/v1/campaigns/draft": write("Drafts a campaign"),
  "manage/v1/campaigns/change": write("Changes a campaign's draft"),
  "manage/v1/campaigns/delete": write("Deletes a campaign's draft"),
  "manage/v1/campaigns/publish": write("Publishes a draft, which fixes its terms"),
  "manage/v1/webhooks": read("Lists the webhooks of a point system"),
  "manage/v1/webhooks/create": write("Creates a webhook, whose secret is answered once"),
  "manage/v1/webhooks/update": write("Changes a webhook's URL and events"),
  "manage/v1/webhooks/switch": write("Switches a webhook on or off"),
  "manage/v1/webhooks/rotate": write("Rotates a webhook's secret, which is answered once"),
  "manage/v1/webhooks/test": write("Sends a test to a webhook"),
  "manage/v1/webhooks/replay": write("Sends a webhook's deliveries since a moment again"),
  "manage/v1/webhooks/delete": write("Deletes a webhook"),
} as const;
