/** The field of a form that takes the operator's password again, when the step needs it. */
export const CONFIRM_FIELD = "confirmPassword";

const NO_ANSWER = "The service did not answer in time.";
const SEND_AGAIN = `${NO_ANSWER} Send the form again: it takes effect once.`;
const LOOK_FIRST = `${NO_ANSWER} Look whether its change was made before you send the form again.`;

/** Says that a form had no answer. One with a token (form-token.ts) takes effect once, however often it is sent. */
export const sayNoAnswer = (values: Readonly<Record<string, string>>): string =>
  values.token ? SEND_AGAIN : LOOK_FIRST;

/** The problems of a form that was refused, with its values, to show both beside the fields. */
export interface FormProblems {
  /** The intent of the posted form; empty when the page has only one form. */
  readonly intent: string;
  /** The problem of the form as a whole. */
  readonly form: string | null;
  /** Whether it was not sent because the session has ended. */
  readonly isSignedOut?: true;
  /** The first problem of each field, by the field's name. */
  readonly fields: Readonly<Record<string, string>>;
  /** The posted values, without passwords. */
  readonly values: Readonly<Record<string, string>>;
  /** The chosen values of the fields that can have several. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/**
 * Returns the problems of one of a page's forms, if it is the one that was posted.
 * @param answer the answer of the page's action, which may be something else
 * @param fields the fields that tell it apart from forms with the same intent, as those of a
 *   table's rows
 */
export function problemsOf(
  answer: { problems: FormProblems } | object | undefined,
  intent: string,
  fields: Readonly<Record<string, string>> = {},
): FormProblems | undefined {
  if (!answer || !("problems" in answer)) return undefined;
  const { problems } = answer;
  const isIt =
    problems.intent === intent &&
    Object.entries(fields).every(([name, value]) => problems.values[name] === value);
  return isIt ? problems : undefined;
}

/**
 * Returns what a field shows of its form: its name, the value that was posted, and its problem.
 * @param value the field's value in a form that was not posted yet
 */
export function fieldOf(problems: FormProblems | undefined, name: string, value?: string) {
  return {
    name,
    defaultValue: problems?.values[name] ?? value,
    problem: problems?.fields[name],
  };
}
