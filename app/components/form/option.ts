/** One of the values that a field offers. */
export interface FieldOption {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}
