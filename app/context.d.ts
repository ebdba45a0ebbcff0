import "@remix-run/node";
import type { PolicyViolation } from "./domain/policy-violation";

declare module "@remix-run/node" {
  /**
   * The context that the server passes to every loader and action, whether the front door or
   * Remix's router serves the request.
   */
  interface AppLoadContext {
    /** The client's address: the socket's, or the one that trusted proxies report. */
    readonly ip: string;
    /** The network that sends X-Forwarded-For and is no trusted proxy's; null for none. */
    readonly untrustedProxy: string | null;
    /** The address for reports of vulnerabilities, a mailto: or https: URL. */
    readonly securityContact?: string | undefined;
    /**
     * The public address of this service, for cookies and links. It is never taken from a request.
     */
    readonly appOrigin: string;
    /** Whether sign-up is open to everyone. */
    readonly isSignUpOpen: boolean;
    readonly requestId: string;
    /** Checks whether the request has a header more than once: `Request` joins the values into one text. */
    readonly isRepeated: (header: string) => boolean;
    /** The headers of every reply: the security headers and the request's id. */
    readonly replyHeaders: Readonly<Record<string, string>>;
    /** Cookies that the request's page sets, beside those that its answer sets itself. */
    readonly setCookies: string[];
    /** The fields that the request's log line has beside route, status and time. */
    readonly log: { apiKeyId?: string; operatorId?: string };
    /** Breaks the connection: the part of the answer that was sent never looks like the whole one. */
    readonly breakConnection: () => void;
    /** Logs an unexpected error with the request's id. */
    readonly logError: (error: unknown) => void;
    /** Logs a browser's report that a page's content security policy blocked a resource. */
    readonly logViolation: (violation: PolicyViolation) => void;
  }

  interface Future {
    v3_singleFetch: true;
  }
}
