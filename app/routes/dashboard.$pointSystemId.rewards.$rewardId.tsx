import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet } from "@remix-run/react";
import { PageHeader } from "../components/ui/page-header";
import { requireMember } from "./member.server";

export async function loader(args: LoaderFunctionArgs) {
  await requireMember(args, "viewer");
  return null;
}

export default function Placeholder() {
  return (
    <>
      <PageHeader title="Campaign" />
      <Outlet />
    </>
  );
}
