import { z } from "zod";
import { getClaimProof } from "../../services/rewards/proof";
import { parameters, parseQuery } from "../input";
import { publicEndpoint } from "../public-endpoint";
import { BaseUnitsReply, toIso } from "../replies";

const ProofQuery = z.object({
  onchainId: parameters.onchainId,
  chainId: parameters.chainId,
  address: parameters.address,
});

const FAILURES = {
  missing: "missing_proof_parameters",
  invalid: "invalid_proof_parameters",
} as const;

/**
 * GET /rewards/proof reads the proof by which the campaign contract pays a wallet its share of an
 * airdrop.
 */
export const loader = publicEndpoint("rewards/proof", {
  parse: (request) => parseQuery(ProofQuery, request.url, FAILURES),
  reply: z.strictObject({
    distributionId: z.uuid(),
    amount: BaseUnitsReply,
    merkleProof: z.array(z.string().regex(/^0x[0-9a-f]{64}$/)),
    claimedAt: z.iso.datetime().nullable(),
  }),
  async handle({ onchainId, chainId, address }) {
    const proof = await getClaimProof(chainId, onchainId, address);
    return {
      distributionId: proof.distributionId,
      amount: proof.amountWei.toString(),
      merkleProof: [...proof.merkleProof],
      claimedAt: toIso(proof.claimedAt),
    };
  },
});
export const action = loader;
