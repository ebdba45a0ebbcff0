/** What a page's route says of it, as its `handle`. */
export interface PageHandle {
  /** Pages of other sites may frame it. */
  readonly isEmbeddable: true;
}

/** Whether other sites may frame a page: only one that says so of itself. */
export function isForFrames(handle: unknown): boolean {
  return (handle as Partial<PageHandle> | undefined)?.isEmbeddable === true;
}
