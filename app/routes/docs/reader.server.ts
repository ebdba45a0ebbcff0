import type { LoaderFunctionArgs } from "@remix-run/node";
import { findOperator } from "../../auth/request-operator";
import { hasPermission, type NeededPermission } from "../../domain/access/api-key";
import { EXAMPLE, type ExampleValues } from "../../domain/reference/example";
import { readOrigin } from "../../http/browser";
import { getMember } from "../../services/access/members";
import { type ApiKey, listApiKeys } from "../../services/api-keys/api-keys";
import { listLeaderboard } from "../../services/board/leaderboard";
import { listPointSystems } from "../../services/point-systems/point-systems";
import { listTriggers } from "../../services/point-systems/triggers";

/** The reader of a page, and the values of its samples. */
export interface Reader {
  readonly values: ExampleValues;
  /** The name of the point system in the samples; null for a reader who has none. */
  readonly pointSystem: string | null;
  readonly isSignedIn: boolean;
}

/**
 * Finds the values of a page's samples. A signed-in reader sees their own point system, its first
 * trigger, a wallet on its leaderboard, and the name of a key that may make the call; never a key.
 */
export async function findReader(
  args: LoaderFunctionArgs,
  permission: NeededPermission | null = null,
): Promise<Reader> {
  const origin = args.context.appOrigin;
  const operator = await findOperator(args);
  const nobody = { values: { ...EXAMPLE, origin }, pointSystem: null };
  if (!operator) return { ...nobody, isSignedIn: false };
  const [pointSystems, keys] = await Promise.all([
    listPointSystems(operator.id),
    listApiKeys(operator.id),
  ]);
  const suits = (key: ApiKey) => permission === null || hasPermission(key.permission, permission);
  const key = keys.find((each) => suits(each) && each.pointSystems.length > 0);
  const ids = key?.pointSystems.map(({ id }) => id) ?? [];
  const own = pointSystems.find(({ id }) => ids.includes(id)) ?? pointSystems[0];
  if (!own) return { ...nobody, isSignedIn: true };
  const actor = { operatorId: operator.id, email: operator.email, ...readOrigin(args) };
  const member = await getMember(actor, own.id, "viewer");
  const [triggers, board] = await Promise.all([
    listTriggers(member),
    listLeaderboard(own.id, { page: 1, limit: 1 }),
  ]);
  const trigger = triggers.find(({ isActive }) => isActive) ?? triggers[0];
  return {
    values: {
      ...EXAMPLE,
      origin,
      pointSystemId: own.id,
      triggerKey: trigger?.key ?? EXAMPLE.triggerKey,
      wallet: board.leaderboard[0]?.address ?? EXAMPLE.wallet,
      keyName: key && ids.includes(own.id) ? key.name : null,
    },
    pointSystem: own.name,
    isSignedIn: true,
  };
}
