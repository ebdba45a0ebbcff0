import "@remix-run/node";
import type { PolicyViolation } from "./domain/policy-violation";

declare module "@remix-run/node" {
  /** What the server gives every loader and action, whichever way the request came in. */
  interface AppLoadContext {
    /** The client's address: the socket's, or the one that trusted proxies tell. */
    readonly ip: string;
    /** Where browsers reach this service: for cookies and links, never taken from a request. */
    readonly appOrigin: string;
    /** Whether anybody may make an account. */
    readonly isSignUpOpen: boolean;
    readonly requestId: string;
    /** What every reply carries: the security headers, and the request's id. */
    readonly replyHeaders: Readonly<Record<string, string>>;
    /** Cookies that the request's page is to set, beside those that its answer sets itself. */
    readonly setCookies: string[];
    /** What the request's log line says beside route, status and time. */
    readonly log: { apiKeyId?: string; operatorId?: string };
    /** Logs an unexpected error with the request's id. */
    readonly logError: (error: unknown) => void;
    /** Logs what a browser says that a page's content security policy refused. */
    readonly logViolation: (violation: PolicyViolation) => void;
  }

  interface Future {
    v3_singleFetch: true;
  }
}
