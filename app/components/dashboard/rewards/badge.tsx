import {
  findRewardStage,
  isPaidByHand,
  type RewardStage,
  type StagedReward,
} from "../../../domain/rewards/stage";
import { Badge } from "../../ui/badge";

const TONES = {
  draft: "neutral",
  published: "accent",
  ready: "accent",
  claimable: "success",
  ended: "neutral",
  cancelled: "danger",
} as const satisfies Record<RewardStage, string>;

const LABELS: Record<RewardStage, string> = {
  draft: "Draft",
  published: "Published",
  ready: "Ready to fund",
  claimable: "Claimable",
  ended: "Ended",
  cancelled: "Cancelled",
};

/** The words for rewards that the organisers pay themselves. */
const LABELS_BY_HAND: Record<RewardStage, string> = {
  ...LABELS,
  ready: "Ready to pay",
  claimable: "Paying out",
};

/** Returns the words for the stages of a reward. */
export function getStageLabels(reward: StagedReward): Readonly<Record<RewardStage, string>> {
  return isPaidByHand(reward) ? LABELS_BY_HAND : LABELS;
}

/** Shows the stage of a reward. */
export function RewardBadge({ reward }: { reward: StagedReward }) {
  const stage = findRewardStage(reward);
  return <Badge tone={TONES[stage]}>{getStageLabels(reward)[stage]}</Badge>;
}
