import { type AppLoadContext, createCookie } from "@remix-run/node";

/**
 * Makes a cookie of this service that scripts cannot read. Under https, its prefix keeps other hosts of the domain from
 * setting it.
 * @param maxAge its life in seconds
 */
export function createOwnCookie({ appOrigin }: AppLoadContext, name: string, maxAge: number) {
  const isHttps = appOrigin.startsWith("https:");
  return createCookie(isHttps ? `__Host-${name}` : name, {
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    secure: isHttps,
    maxAge,
  });
}
