import type { LoaderFunctionArgs } from "@remix-run/node";
import { Failure } from "../domain/failure";
import { answerFailure } from "./endpoint";

/** Any other path under /api. */
export const loader = ({ context }: Pick<LoaderFunctionArgs, "context">) =>
  answerFailure(new Failure("not_found"), context);
export const action = loader;
