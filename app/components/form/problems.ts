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

/** The problems of one of a page's forms, if it is the one that was posted. */
export function problemsOf(
  answer: { problems: FormProblems } | undefined,
  intent: string,
): FormProblems | undefined {
  return answer?.problems.intent === intent ? answer.problems : undefined;
}
