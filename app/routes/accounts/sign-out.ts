import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { endSession } from "../../auth/sessions";
import { page } from "../../http/page";

export const loader = async () => redirect("/");

export const action = page(async ({ request, context }: ActionFunctionArgs) => {
  const cookie = await endSession(request.headers.get("cookie") ?? "", context.appOrigin);
  return redirect("/sign-in", { headers: { "Set-Cookie": cookie } });
});
