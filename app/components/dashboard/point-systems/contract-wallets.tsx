import { REWARD_CHAINS, type RewardChainId } from "../../../domain/rewards/reward-chain";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { SelectField } from "../../form/select-field";

/** Asks for the chain on which a contract wallet's signature shows a gift card's code. */
export function ContractWalletForm({
  chosen,
  chainIds,
  problems,
}: {
  chosen: RewardChainId | null;
  chainIds: readonly RewardChainId[];
  problems: FormProblems | undefined;
}) {
  const none = chainIds.length === 1 ? "The only configured chain" : "None";
  return (
    <Form intent="contract-wallets" problems={problems} submitLabel="Use this chain">
      <SelectField
        label="Chain"
        {...fieldOf(problems, "chainId", String(chosen ?? ""))}
        hint="A Safe can have other owners on another chain. Gift card codes are shown for its signature on this chain only."
        options={[
          { value: "", label: none },
          ...chainIds.map((id) => ({ value: String(id), label: REWARD_CHAINS[id].name })),
        ]}
      />
    </Form>
  );
}
