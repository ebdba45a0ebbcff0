import type { EndpointPath } from "../endpoints";
import { mapOperations } from "../manage/operations";
import type { EndpointProse } from "./prose-form";
import { POINTS_PROSE } from "./prose-of-points";
import { REWARDS_PROSE } from "./prose-of-rewards";

/** The words and examples of all endpoints. */
export const PROSE: Readonly<Record<EndpointPath, EndpointProse>> = {
  ...POINTS_PROSE,
  ...REWARDS_PROSE,
  ...mapOperations(({ prose }) => prose),
};
