import type { AppLoadContext } from "@remix-run/node";
import { createOwnCookie } from "../auth/own-cookie";
import { findTheme, type Theme } from "../domain/theme";

const getCookie = (context: AppLoadContext) =>
  createOwnCookie(context, "theme", 365 * 24 * 60 * 60);

/** Reads the theme that was chosen in this browser. */
export async function readTheme(request: Request, context: AppLoadContext): Promise<Theme> {
  return findTheme(await getCookie(context).parse(request.headers.get("cookie")));
}

/**
 * Keeps a theme in this browser.
 * @returns the Set-Cookie value
 */
export function keepTheme(theme: Theme, context: AppLoadContext): Promise<string> {
  return getCookie(context).serialize(theme);
}
