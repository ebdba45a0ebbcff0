import { Field } from "../../form/field";
import { type FormProblems, fieldOf } from "../../form/problems";

/** Shows the fields of a point system that its owner chooses. */
export function PointSystemFields({
  problems,
  origin,
  name = "",
  slug = "",
  isSandbox = false,
}: {
  problems: FormProblems | undefined;
  /** The public address of this service. */
  origin: string;
  name?: string;
  slug?: string | null;
  /** A sandbox has no public address. */
  isSandbox?: boolean;
}) {
  return (
    <>
      <Field label="Name" {...fieldOf(problems, "name", name)} autoComplete="off" maxLength={100} />
      {isSandbox ? (
        <input type="hidden" name="slug" value="" />
      ) : (
        <Field
          label="Slug"
          {...fieldOf(problems, "slug", slug ?? "")}
          autoComplete="off"
          maxLength={60}
          isOptional
          prefix={`${new URL(origin).host}/l/`}
          hint="Leave it empty for no public leaderboard."
        />
      )}
    </>
  );
}
