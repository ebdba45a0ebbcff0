import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { z } from "zod";
import { requireOperator } from "../../auth/request-operator";
import { findDashboardPath } from "../../domain/own-path";
import { THEMES } from "../../domain/theme";
import { takeForm } from "../../http/form";
import { page } from "../../http/page";
import { keepTheme } from "../../http/theme";

const ThemeInputs = z.object({ theme: z.enum(THEMES), to: z.string().max(2_000) });

export const loader = page(async (args: LoaderFunctionArgs) => {
  await requireOperator(args);
  return redirect("/dashboard");
});

/** Takes the choice of a theme, and leads back to the page on which it was made. */
export const action = page(async (args: ActionFunctionArgs) => {
  await requireOperator(args);
  return takeForm(args, ThemeInputs, async ({ theme, to }) => {
    const headers = { "Set-Cookie": await keepTheme(theme, args.context) };
    return redirect(findDashboardPath(to) ?? "/dashboard", { headers });
  });
});
