import { findRewardStage, REWARD_STAGES, type StagedReward } from "../../../domain/rewards/stage";
import { getStageLabels } from "./badge";

/** Shows the stages of a reward, and the one that it has reached; none for a cancelled one. */
export function RewardStages({ reward }: { reward: StagedReward }) {
  const stage = findRewardStage(reward);
  if (stage === "cancelled") return null;
  const labels = getStageLabels(reward);
  const stages = REWARD_STAGES.filter(
    (name) =>
      (name !== "ready" || reward.kind === "token") &&
      (name !== "ended" || (reward.kind === "token" && reward.chainId !== null)),
  );
  const reached = stages.indexOf(stage);
  return (
    <ol aria-label="Stages" className="flex gap-1.5 text-xs">
      {stages.map((name, index) => (
        <li
          key={name}
          aria-current={index === reached ? "step" : undefined}
          className="min-w-0 flex-1"
        >
          <div className={`h-1 rounded-full ${index <= reached ? "bg-fill" : "bg-line"}`} />
          <span
            className={`mt-1.5 whitespace-nowrap ${index === reached ? "block font-medium" : "hidden text-ink-muted sm:block"}`}
          >
            {labels[name]}
          </span>
        </li>
      ))}
    </ol>
  );
}
