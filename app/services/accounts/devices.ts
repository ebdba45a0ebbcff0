import { rememberDevice } from "../../auth/devices";
import type { Browser } from "../../auth/sessions";
import { withDatabase } from "../../db/client";
import { describeUserAgent } from "../../domain/access/user-agent";
import { addNotice } from "./notices";

/**
 * Makes a browser known in which its operator has just signed in. The operator is told of a new one
 * beside others.
 * @returns the Set-Cookie value
 */
export async function rememberBrowser(
  operatorId: string,
  { cookies, ip, userAgent }: Browser,
  appOrigin: string,
): Promise<string> {
  const { cookie, isNew } = await rememberDevice(operatorId, cookies, appOrigin);
  if (isNew) {
    const detail = describeUserAgent(userAgent);
    await withDatabase((db) => addNotice(db, operatorId, { kind: "new_device", detail, ip }));
  }
  return cookie;
}
