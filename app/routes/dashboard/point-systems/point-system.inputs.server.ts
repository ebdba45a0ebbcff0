import { z } from "zod";
import { isReservedSlug, SLUG_LENGTH_MAX, SLUG_PATTERN } from "../../../domain/point-systems/slug";
import { REWARD_CHAIN_IDS } from "../../../domain/rewards/reward";
import { isRewardChainId } from "../../../domain/rewards/reward-chain";
import { FormToken } from "../../../http/form-token";
import { TitleInput } from "../../shared.inputs.server";

/** A public path, or empty. */
export const SlugInput = z
  .string()
  .trim()
  .toLowerCase()
  .max(SLUG_LENGTH_MAX, `Use at most ${SLUG_LENGTH_MAX} characters`)
  .refine(
    (slug) => slug === "" || SLUG_PATTERN.test(slug),
    "Use lowercase letters, digits and single hyphens, such as spring-season",
  )
  .refine((slug) => !isReservedSlug(slug), "This slug is reserved. Choose another")
  .transform((slug) => slug || null);

/** The fields of a point system that its owner chooses. */
export const PointSystemInputs = z.object({ name: TitleInput, slug: SlugInput });

/** The same fields with the kind, which never changes. */
export const NewPointSystemInputs = PointSystemInputs.extend({
  kind: z.enum(["live", "sandbox"], "Choose a kind").optional(),
  token: FormToken,
});

/** The chain on which signatures of contract wallets count, or empty. */
export const ContractWalletInputs = z.object({
  chainId: z.enum(["", ...REWARD_CHAIN_IDS.map(String)], "Choose a chain").transform((text) => {
    const chainId = Number(text);
    return isRewardChainId(chainId) ? chainId : null;
  }),
});
