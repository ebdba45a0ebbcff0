import { createContext, useContext } from "react";

/** The nonce of the reply being rendered; empty in the browser, which hides nonces from scripts. */
export const NonceContext = createContext("");

export function useNonce(): string {
  return useContext(NonceContext);
}
