import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { BrandFields } from "../../../components/dashboard/point-systems/brand-fields";
import { Form } from "../../../components/form/form";
import { PageHeader } from "../../../components/page/page-header";
import { titlePage } from "../../../components/page/page-title";
import { Card } from "../../../components/ui/card";
import { mayRead, mayWrite } from "../../../domain/access/pages";
import { takeForm } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import {
  getBrand,
  listShowableTriggers,
  updateBrand,
} from "../../../services/point-systems/brands";
import { BrandInputs, parseLogo, readBrandBody } from "./brand.inputs.server";
import { usePointSystem } from "./layout";

export const meta = titlePage("Branding");

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, mayRead("branding"));
  const [brand, triggers] = await Promise.all([getBrand(member), listShowableTriggers(member)]);
  return { brand, triggers };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, mayWrite("branding"));
  return takeForm(
    args,
    BrandInputs,
    async ({ logo, removeLogo, ...fields }) => {
      const image = parseLogo(logo) ?? (removeLogo.length > 0 ? null : undefined);
      await updateBrand(member, { ...fields, logo: image });
      const path = `/dashboard/${member.pointSystemId}/branding`;
      return redirectWithNotice(path, "The branding is saved.", args.context);
    },
    { readBody: readBrandBody, uploader: member.actor.operatorId },
  );
});

export default function Branding() {
  const { brand, triggers } = useLoaderData<typeof loader>();
  const problems = useActionData<typeof action>()?.problems;
  const pointSystem = usePointSystem();
  const isOwner = pointSystem.role === "owner";
  const publicPath = pointSystem.slug ? `/l/${pointSystem.slug}` : `/claim/${pointSystem.id}`;
  return (
    <>
      <PageHeader
        title="Branding"
        description="Title, colour and logo of the public leaderboard and the claim page."
      />
      <div className="mt-6 grid max-w-2xl gap-6">
        <Card
          heading="Public pages"
          aside={
            <a className="text-accent underline" href={publicPath}>
              View
            </a>
          }
        >
          <div className="p-4 sm:p-5">
            {isOwner ? (
              <Form problems={problems} submitLabel="Save" encType="multipart/form-data">
                <BrandFields problems={problems} {...brand} triggers={triggers} />
              </Form>
            ) : (
              <p className="text-sm text-ink-muted">Only the owner can change these settings.</p>
            )}
          </div>
        </Card>
      </div>
    </>
  );
}
