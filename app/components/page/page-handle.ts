/** What a page's route says of it, as its `handle`. */
export interface PageHandle {
  /** Pages of other sites may frame it. */
  readonly isEmbeddable?: true;
  /** Safe's web app may frame it, and nobody else: nothing on it depends on who is signed in. */
  readonly isSafeApp?: true;
  /** It connects wallets: its scripts call chains. It must be loaded as a document of its own. */
  readonly usesWallet?: true;
}

const has = (handle: unknown, name: keyof PageHandle) =>
  (handle as PageHandle | undefined)?.[name] === true;

/** Whether other sites may frame a page: only one that says so of itself. */
export function isForFrames(handle: unknown): boolean {
  return has(handle, "isEmbeddable");
}

/** Whether Safe's web app may frame a page: only one that says so of itself. */
export function isForSafe(handle: unknown): boolean {
  return has(handle, "isSafeApp");
}

/** Whether a page calls chains: only one that says so of itself. */
export function isForWallets(handle: unknown): boolean {
  return has(handle, "usesWallet");
}
