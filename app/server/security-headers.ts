/** Returns the headers of every reply. A page's own policy replaces the strict one. */
export function getSecurityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    // Wallets sign in popups, which must keep their opener.
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    // The default policy: a reply is neither a page nor framed.
    "Content-Security-Policy":
      "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    ...(isHttps && { "Strict-Transport-Security": "max-age=31536000; includeSubDomains" }),
  };
}

/** Browsers report here what a page's policy refused. */
export const REPORT_PATH = "/csp-report";

/**
 * Builds the policy of an HTML page: scripts and styles come from this origin, by nonce, and the
 * page contains no frames.
 * @param options.frameAncestors the origins that may frame the page, or `*` for all
 * @param options.connectOrigins the origins that its scripts may call beside this one
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
