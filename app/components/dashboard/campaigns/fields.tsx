import { useEffect, useRef, useState } from "react";
import {
  isErc20,
  isForeignCoin,
  TOKEN_SYMBOL_LENGTH_MAX,
} from "../../../domain/campaigns/campaign";
import { TOKEN_TYPES, type TokenType } from "../../../domain/rewards/reward";
import { Field } from "../../form/field";
import type { FieldOption } from "../../form/option";
import type { FormProblems } from "../../form/problems";
import { SelectField } from "../../form/select-field";
import { useIsHydrated } from "../../hooks/use-is-hydrated";
import { PointsCountedField } from "../rewards/points-counted";
import { DeadlineFields } from "./deadline-fields";

const TOKENS: Record<TokenType, string> = {
  ethereum: "The chain’s native coin",
  custom: "A token (ERC-20)",
  usdc: "USDC",
  usdt: "USDT",
  solana: "SOL, paid by you",
  bitcoin: "BTC, paid by you",
};
const TOKEN_OPTIONS = TOKEN_TYPES.map((value) => ({ value, label: TOKENS[value] }));

/** The values of a campaign's form, all as text. */
export type CampaignValues = Readonly<
  Record<
    | "name"
    | "tokenType"
    | "chainId"
    | "tokenAddress"
    | "tokenSymbol"
    | "tokenDecimals"
    | "totalAmount"
    | "minPoints"
    | "maxPoints"
    | "deadline"
    | "timeZone"
    | "pointsCounted",
    string
  >
>;

/**
 * Shows the fields of a campaign's draft. With scripts, fields that do not concern the chosen token
 * are hidden; the server ignores them in any case.
 */
export function CampaignFields({
  problems,
  values,
  chains,
  configuredChainIds,
  timeZones,
  points,
}: {
  problems: FormProblems | undefined;
  values: CampaignValues;
  chains: readonly FieldOption[];
  configuredChainIds: readonly number[];
  timeZones: readonly string[];
  points: readonly FieldOption[];
}) {
  const isHydrated = useIsHydrated();
  const fields = useRef<HTMLDivElement>(null);
  const read = (name: keyof CampaignValues) => problems?.values[name] ?? values[name];
  const [tokenType, setTokenType] = useState(read("tokenType"));
  const [chainId, setChainId] = useState(read("chainId"));
  const follow = () => {
    const readField = (name: string) =>
      fields.current?.querySelector<HTMLSelectElement>(`select[name=${name}]`)?.value ?? "";
    setTokenType(readField("tokenType"));
    setChainId(readField("chainId"));
  };
  // Follows the values that were chosen before the scripts were loaded.
  useEffect(follow, []);
  const type = TOKEN_TYPES.find((one) => one === tokenType) ?? "custom";
  const isHidden = (isOfUse: boolean) => isHydrated && !isOfUse;
  const isTyped = isErc20(type) && !configuredChainIds.includes(Number(chainId));
  return (
    <div ref={fields} onChange={follow} className="space-y-5">
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        maxLength={100}
        hint="Shown to holders."
        defaultValue={read("name")}
        problem={problems?.fields.name}
      />
      <SelectField
        label="Asset"
        name="tokenType"
        options={TOKEN_OPTIONS}
        defaultValue={read("tokenType")}
        problem={problems?.fields.tokenType}
      />
      <div hidden={isHidden(!isForeignCoin(type))}>
        <SelectField
          label="Chain"
          name="chainId"
          options={chains}
          defaultValue={read("chainId")}
          hint="The chain for claims. Ignored for SOL and BTC."
          problem={problems?.fields.chainId}
        />
      </div>
      <div hidden={isHidden(isErc20(type))}>
        <Field
          label="Token address"
          name="tokenAddress"
          isOptional={!isHydrated}
          autoComplete="off"
          spellCheck={false}
          placeholder="0x…"
          hint="Its symbol and decimals are read from the chain when you save."
          defaultValue={read("tokenAddress")}
          problem={problems?.fields.tokenAddress}
        />
      </div>
      <div hidden={isHidden(isTyped)}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field
            label="Token symbol"
            name="tokenSymbol"
            isOptional={!isHydrated}
            autoComplete="off"
            maxLength={TOKEN_SYMBOL_LENGTH_MAX}
            hint="For a chain that is not set up here."
            defaultValue={read("tokenSymbol")}
            problem={problems?.fields.tokenSymbol}
          />
          <Field
            label="Token decimals"
            name="tokenDecimals"
            isOptional={!isHydrated}
            autoComplete="off"
            inputMode="numeric"
            hint="A wrong number makes every amount wrong."
            defaultValue={read("tokenDecimals")}
            problem={problems?.fields.tokenDecimals}
          />
        </div>
      </div>
      <Field
        label="Total amount"
        name="totalAmount"
        autoComplete="off"
        inputMode="decimal"
        hint="In whole tokens, such as 1000.5. The whole amount is split."
        defaultValue={read("totalAmount")}
        problem={problems?.fields.totalAmount}
      />
      <PointsCountedField
        options={points}
        chosen={values.pointsCounted}
        problems={problems}
        familyHint="New points leave out those that the earlier campaign and its rounds counted."
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label="Minimum points"
          name="minPoints"
          autoComplete="off"
          inputMode="numeric"
          hint="Wallets with fewer points get nothing."
          defaultValue={read("minPoints")}
          problem={problems?.fields.minPoints}
        />
        <Field
          label="Maximum points"
          name="maxPoints"
          isOptional
          autoComplete="off"
          inputMode="numeric"
          hint="Points above this do not count."
          defaultValue={read("maxPoints")}
          problem={problems?.fields.maxPoints}
        />
      </div>
      <DeadlineFields
        problems={problems}
        deadline={read("deadline")}
        timeZone={read("timeZone")}
        timeZones={timeZones}
      />
    </div>
  );
}
