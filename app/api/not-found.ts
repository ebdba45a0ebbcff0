import type { LoaderFunctionArgs } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { answerError } from "../http/answers";

/** Answers any other path under /api. */
export const loader = async ({ context }: Pick<LoaderFunctionArgs, "context">) =>
  answerError(new Failure("not_found"), context);
export const action = loader;
