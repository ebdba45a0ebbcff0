import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { keepUnansweredForms } from "./components/form/unanswered";

// Dialogs lock the page's scrolling with a stylesheet that they insert, and read its nonce here.
Object.assign(globalThis, {
  __webpack_nonce__: document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce,
});

/**
 * Waits until the page's data is decoded. RemixBrowser suspends for it outside of any boundary, and
 * a key that is pressed meanwhile makes React 18 fail for good (error 345). Called before React
 * begins, it throws the promise that it would suspend with, ahead of its first hook.
 */
async function decodePageData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (pending) {
    await pending;
  }
}

keepUnansweredForms();
await decodePageData();
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  );
});
