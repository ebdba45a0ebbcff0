/** Checks whether PostgreSQL can hold a text: it has neither U+0000 nor half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes("\0") && !/\p{Cs}/u.test(text);
}
