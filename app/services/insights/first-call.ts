import { type Actor, getMember } from "../access/members";
import { getPointSystem } from "../point-systems/point-systems";
import { listTriggers } from "../point-systems/triggers";

/** The call that makes the first event of a point system. */
export interface FirstCall {
  readonly pointSystemId: string;
  readonly triggerKey: string;
  /** The points that the call names; null for a trigger of fixed points. */
  readonly points: number | null;
}

/** The most point systems of a key that are looked at. */
const LOOKED_AT_MAX = 5;

/**
 * Finds the first call for a new key: in the first of its point systems that has an active trigger
 * and no event yet.
 * @throws {Failure} `not_found` when the operator is not in one of the point systems
 */
export async function findFirstCall(
  actor: Actor,
  pointSystemIds: readonly string[],
): Promise<FirstCall | null> {
  for (const id of pointSystemIds.slice(0, LOOKED_AT_MAX)) {
    const member = await getMember(actor, id, "viewer");
    const [{ events }, triggers] = await Promise.all([
      getPointSystem(member),
      listTriggers(member),
    ]);
    const trigger = triggers.find(({ isActive }) => isActive);
    if (events === 0 && trigger) {
      const points = trigger.variable ? trigger.points : null;
      return { pointSystemId: member.pointSystemId, triggerKey: trigger.key, points };
    }
  }
  return null;
}
