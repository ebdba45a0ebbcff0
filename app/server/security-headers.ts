/** The headers that every reply carries; a page's own policy takes the strict one's place. */
export function getSecurityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    // Wallets sign in popups, which must keep their opener.
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    // What a reply does not say otherwise: it is no page and no frame.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    ...(isHttps && { "Strict-Transport-Security": "max-age=31536000; includeSubDomains" }),
  };
}

/** Browsers tell here what a page's policy refused. */
export const REPORT_PATH = "/csp-report";

/**
 * The policy of an HTML page: scripts and styles of this origin, by nonce; no frames in it.
 * @param options.frameAncestors whose pages may frame it: origins, or `*` for anybody's
 * @param options.connectOrigins whom its scripts may call beside this origin
 */
export function getPagePolicy(
  nonce: string,
  options: { frameAncestors: readonly string[]; connectOrigins: readonly string[] },
): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...options.connectOrigins].join(" "),
    "manifest-src 'self'",
    "frame-src 'none'",
    `frame-ancestors ${options.frameAncestors.join(" ") || "'none'"}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    `report-uri ${REPORT_PATH}`,
  ].join("; ");
}
