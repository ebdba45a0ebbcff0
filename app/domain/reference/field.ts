/** A field of a request or an answer, as a page lists it. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** The fields of an object, or of the objects of a list. */
  readonly fields: readonly Field[];
  /** The forms of a value that has several. */
  readonly forms: readonly Form[];
}

/** One of several forms of a value. */
export interface Form {
  readonly label: string;
  readonly fields: readonly Field[];
}
