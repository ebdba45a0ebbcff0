import { z } from "zod";
import { getClaimProof } from "../../services/rewards/proof";
import { parameters, parseQuery } from "../input";
import { publicEndpoint } from "../public-endpoint";
import { BaseUnitsReply, HashReply, toIso } from "../replies";

const ProofQuery = z.object({
  onchainId: parameters.onchainId,
  chainId: parameters.chainId,
  address: parameters.address,
  include: z.literal("root").optional().describe("With root, the answer has the root"),
});

const input = {
  query: ProofQuery,
  failures: { missing: "missing_proof_parameters", invalid: "invalid_proof_parameters" },
} as const;

/**
 * GET /rewards/proof reads the proof by which the campaign contract pays a wallet its share of an
 * airdrop.
 */
export const loader = publicEndpoint("rewards/proof", {
  input,
  failures: ["airdrop_not_found", "address_not_eligible", "proof_not_built"],
  parse: (request) => parseQuery(input, request.url),
  reply: z.strictObject({
    distributionId: z.uuid().describe("The share's UUID"),
    amount: BaseUnitsReply.describe("The share in base units of the token, for the contract"),
    merkleProof: z
      .array(HashReply)
      .describe("The hashes from the share's leaf to the root, for the contract"),
    claimedAt: z.iso.datetime().nullable().describe("The time of the claim; null before it"),
    root: HashReply.optional().describe("With include: the root of the proof"),
  }),
  async handle({ onchainId, chainId, address, include }) {
    const proof = await getClaimProof(chainId, onchainId, address);
    return {
      distributionId: proof.distributionId,
      amount: proof.amountWei.toString(),
      merkleProof: [...proof.merkleProof],
      claimedAt: toIso(proof.claimedAt),
      ...(include === "root" && { root: proof.root }),
    };
  },
});
export const action = loader;
