/** Why a form was not taken, and what was typed, to show both beside the fields. */
export interface FormProblems {
  /** Which of the page's forms it was; empty when it has one. */
  readonly intent: string;
  /** Of the form as a whole. */
  readonly form: string | null;
  /** By the field's name: its first problem. */
  readonly fields: Readonly<Record<string, string>>;
  /** What was typed, without passwords. */
  readonly values: Readonly<Record<string, string>>;
  /** What was chosen of the fields that can have several values. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/**
 * The problems of one of a page's forms, if it is the one that was posted.
 * @param answer what the page's action answered, which may be something else
 * @param fields what tells it apart from forms with the same intent, as those of a table's rows
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
