import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { endSession } from "../../auth/sessions";
import { page } from "../../http/page";

export const loader = async () => redirect("/");

export const action = page(async ({ request, context }: ActionFunctionArgs) => {
  const cookie = await endSession(request.headers.get("cookie") ?? "", context.appOrigin);
  // Pages that the browser keeps for its back button go. Its storage stays: the claim page of another
  // person at the same browser finds its sent transaction there, and no secret lies in it.
  const headers = { "Set-Cookie": cookie, "Clear-Site-Data": '"cache"' };
  return redirect("/sign-in", { headers });
});
