import type { LoaderFunctionArgs } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { page } from "../http/page";

const DAY_MS = 24 * 60 * 60_000;
/** The file is made at each request: it is good for some months. */
const LIFE_DAYS = 180;

/**
 * GET /.well-known/security.txt: tells whom to write about a vulnerability of this installation, as
 * SECURITY_CONTACT says. Source: RFC 9116.
 */
export const loader = page(async ({ context }: LoaderFunctionArgs) => {
  const { appOrigin, securityContact } = context;
  if (securityContact === undefined) throw new Failure("not_found");
  const expires = new Date(Math.ceil(Date.now() / DAY_MS + LIFE_DAYS) * DAY_MS);
  const lines = [
    `Contact: ${securityContact}`,
    `Expires: ${expires.toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${appOrigin}/.well-known/security.txt`,
  ];
  return new Response(`${lines.join("\n")}\n`, {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "public, max-age=3600",
    },
  });
});
