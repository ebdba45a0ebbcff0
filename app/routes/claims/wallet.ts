import type { LoaderFunctionArgs } from "@remix-run/node";
import { type Address, findPastedAddress } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { jsonRoute } from "../../http/json";
import { lookUpWallet } from "../../services/claims/look-up";
import { ensNames } from "../../services/ens/names";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";
import { admitPublicCall } from "../../services/runtime/public-limit";

const TYPED_LENGTH_MAX = 300;

/**
 * Answers `?wallet=`: the rewards of a wallet with their proofs, by its address or ENS name. It is
 * all that the claim page asks for, so that a look-up is one call of the budget.
 */
export const loader = jsonRoute("GET", async ({ request, params, context }: LoaderFunctionArgs) => {
  await admitPublicCall(context.ip);
  const { id } = await getPublicPointSystem(params.slug ?? "");
  const typed = new URL(request.url).searchParams.get("wallet") ?? "";
  const address = await findAddress(typed.trim());
  return lookUpWallet(id, address);
});

async function findAddress(typed: string): Promise<Address> {
  const address = findPastedAddress(typed);
  if (address) return address;
  const isShort = typed.length <= TYPED_LENGTH_MAX;
  const name = isShort ? await ensNames.normalizeName(typed) : null;
  const found = name === null ? null : (await ensNames.findAddress(name, "claim pages")).value;
  if (!found) throw new Failure("invalid_address_or_ens");
  return found;
}
