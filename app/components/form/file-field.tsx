import { FieldFrame, type FieldText, getInputClass } from "./field-frame";

/** Asks for a file; its form needs `encType="multipart/form-data"`. */
export function FileField({
  name,
  accept,
  ...frame
}: FieldText & { name: string; accept?: string }) {
  return (
    <FieldFrame {...frame}>
      {(control) => (
        <input
          {...control}
          type="file"
          name={name}
          accept={accept}
          className={`${getInputClass(frame.problem)} py-1.5 pl-1.5 file:mr-3 file:rounded-md file:border-0 file:bg-sunken file:px-3 file:py-1 file:text-sm file:font-medium file:text-ink`}
        />
      )}
    </FieldFrame>
  );
}
