import { randomUUID } from "node:crypto";
import { type AppLoadContext, redirect } from "@remix-run/node";
import { z } from "zod";
import { createOwnCookie } from "../auth/own-cookie";

// The result of a form is shown on the next page: the answer to a form is a redirect, with or
// without scripts. The text comes back from the browser's cookie, and is shown as text to that
// browser only.

const NoticeValue = z.object({
  id: z.string().max(40),
  text: z.string().max(500),
  tone: z.enum(["success", "danger"]),
});
export type NoticeContent = z.infer<typeof NoticeValue>;

const getCookie = (context: AppLoadContext) => createOwnCookie(context, "notice", 60);

/** Answers a form with a redirect to the next page, which shows the result as a notice. */
export async function redirectWithNotice(
  to: string,
  text: string,
  context: AppLoadContext,
  tone: NoticeContent["tone"] = "success",
): Promise<Response> {
  const notice: NoticeContent = { id: randomUUID(), text: text.slice(0, 500), tone };
  const cookie = await getCookie(context).serialize(notice);
  return redirect(to, { headers: { "Set-Cookie": cookie } });
}

/** Takes the notice that is due. It is shown once: this answer deletes its cookie. */
export async function takeNotice(
  request: Request,
  context: AppLoadContext,
): Promise<NoticeContent | null> {
  const cookie = getCookie(context);
  const value: unknown = await cookie.parse(request.headers.get("cookie"));
  if (value === null) return null;
  context.setCookies.push(await cookie.serialize("", { maxAge: 0 }));
  const notice = NoticeValue.safeParse(value);
  return notice.success ? notice.data : null;
}
