/** Each documented endpoint is served under all of these. */
export const API_PREFIXES = ["/", "/api/", "/api/sdk/"] as const;

/** The documented endpoints: path after the prefix, and the module in this folder. */
export const API_ENDPOINTS = {
  trigger: "trigger",
  leaderboard: "leaderboard",
  wallet: "wallet",
  activity: "activity",
  rewards: "rewards/rewards",
  "rewards/proof": "rewards/proof",
  "rewards/claim-status": "rewards/claim-status",
  points: "points",
  score: "score",
} as const;

/** The id of an endpoint's route in the Remix build; each mount needs one of its own. */
export function getApiRouteId(path: string): string {
  return `api:${path}`;
}

/** Every mount of every endpoint: the full path, and the endpoint's module. */
export function listApiMounts(): { path: string; module: string }[] {
  return API_PREFIXES.flatMap((prefix) =>
    Object.entries(API_ENDPOINTS).map(([path, module]) => ({ path: `${prefix}${path}`, module })),
  );
}
