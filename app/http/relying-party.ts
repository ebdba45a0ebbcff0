import type { AppLoadContext } from "@remix-run/node";
import { Failure } from "../domain/failure";
import type { RelyingParty } from "../services/accounts/relying-party";

/**
 * Returns the name that passkeys belong to: that of APP_ORIGIN. Without one, and with one that names
 * this machine over http, it is the Host's, which is a local one then.
 * @throws {Failure} `passkeys_need_name` for an IP address, which browsers make no passkeys for
 */
export function getRelyingParty({
  request,
  context,
}: {
  request: Request;
  context: AppLoadContext;
}): RelyingParty {
  const isHttps = context.appOrigin.startsWith("https:");
  const { origin, hostname } = new URL(isHttps ? context.appOrigin : request.url);
  if (/^[\d.]+$|^\[/.test(hostname)) throw new Failure("passkeys_need_name");
  return { origin, id: hostname };
}
