/** The properties of a page that its route declares as its `handle`. */
export interface PageHandle {
  /** Whether pages of other sites may frame it. */
  readonly isEmbeddable?: true;
  /**
   * Whether Safe's web app, and no other site, may frame it: nothing on it depends on the session.
   */
  readonly isSafeApp?: true;
  /**
   * Whether it connects wallets: its scripts call chains. It must be loaded as a document of its
   * own.
   */
  readonly usesWallet?: true;
}

const has = (handle: unknown, name: keyof PageHandle) =>
  (handle as PageHandle | undefined)?.[name] === true;

/** Checks whether other sites may frame a page: only one that declares it. */
export function isForFrames(handle: unknown): boolean {
  return has(handle, "isEmbeddable");
}

/** Checks whether Safe's web app may frame a page: only one that declares it. */
export function isForSafe(handle: unknown): boolean {
  return has(handle, "isSafeApp");
}

/** Checks whether a page calls chains: only one that declares it. */
export function isForWallets(handle: unknown): boolean {
  return has(handle, "usesWallet");
}
