/** The name of this service, as people would write it into a password. */
const SERVICE_NAMES = ["pointsandrewards", "pointsrewards"];

/** A shorter part of a name stands in too many other words. */
const NAME_LENGTH_MIN = 4;

/** The person whose password it is. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Returns a text without case, spaces and signs, as names are compared. */
function simplify(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns a password in the form in which the common ones are listed. */
export function foldPassword(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

/**
 * Checks whether a password contains the service's name, or the name or e-mail address of its
 * person: the whole name, each part of four letters or more, and the address up to its @.
 */
export function containsName(password: string, { name, email }: Person): boolean {
  const text = simplify(password);
  const mailbox = email.split("@")[0]?.split("+")[0] ?? "";
  const names = [name, mailbox, ...name.split(/\s+/), ...mailbox.split(/[._-]/)];
  return [...SERVICE_NAMES, ...names.map(simplify)].some(
    (part) => part.length >= NAME_LENGTH_MIN && text.includes(part),
  );
}
