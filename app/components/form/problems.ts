/** Why a form was not taken, and what was typed, to show both beside the fields. */
export interface FormProblems {
  /** Of the form as a whole. */
  readonly form: string | null;
  /** By the field's name: its first problem. */
  readonly fields: Readonly<Record<string, string>>;
  /** What was typed, without passwords. */
  readonly values: Readonly<Record<string, string>>;
}
