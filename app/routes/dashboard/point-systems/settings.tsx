import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { BrandFields } from "../../../components/dashboard/point-systems/brand-fields";
import { EmbedSnippet } from "../../../components/dashboard/point-systems/embed-snippet";
import { PointSystemFields } from "../../../components/dashboard/point-systems/fields";
import { PointSystemIdentifiers } from "../../../components/dashboard/point-systems/identifiers";
import { ConfirmForm } from "../../../components/form/confirm-form";
import { Form } from "../../../components/form/form";
import { problemsOf } from "../../../components/form/problems";
import { PageHeader } from "../../../components/page/page-header";
import { Card } from "../../../components/ui/card";
import { form, takeForms } from "../../../http/form";
import { requireMember } from "../../../http/member";
import { redirectWithNotice } from "../../../http/notice";
import { page } from "../../../http/page";
import { getBrand, updateBrand } from "../../../services/point-systems/brands";
import {
  deletePointSystem,
  getPointSystem,
  updatePointSystem,
} from "../../../services/point-systems/point-systems";
import { BrandInputs, parseLogo, readBrandBody } from "./brand.inputs.server";
import { PointSystemInputs } from "./point-system.inputs.server";

export const meta: MetaFunction = () => [{ title: "Settings · Points and Rewards" }];

export const loader = page(async (args: LoaderFunctionArgs) => {
  const member = await requireMember(args, "viewer");
  return {
    pointSystem: await getPointSystem(member),
    brand: await getBrand(member),
    origin: args.context.appOrigin,
  };
});

export const action = page(async (args: ActionFunctionArgs) => {
  const member = await requireMember(args, "owner");
  const path = `/dashboard/${member.pointSystemId}/settings`;
  const forms = {
    update: form(PointSystemInputs, async (fields) => {
      await updatePointSystem(member, fields);
      return redirectWithNotice(path, "The settings are saved.", args.context);
    }),
    delete: form(z.object({ confirmation: z.string().max(200) }), async ({ confirmation }) => {
      const { name } = await deletePointSystem(member, confirmation);
      return redirectWithNotice("/dashboard", `${name} is deleted.`, args.context);
    }),
    brand: form(BrandInputs, async ({ logo, removeLogo, ...fields }) => {
      const image = parseLogo(logo) ?? (removeLogo.length > 0 ? null : undefined);
      await updateBrand(member, { ...fields, logo: image });
      return redirectWithNotice(path, "The branding is saved.", args.context);
    }),
  };
  return takeForms(args, forms, { readBody: readBrandBody });
});

export default function Settings() {
  const { pointSystem, brand, origin } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const isOwner = pointSystem.role === "owner";
  const claimUrl = `${origin}/claim/${pointSystem.slug ?? pointSystem.id}`;
  const publicUrl = pointSystem.slug && `${origin}/l/${pointSystem.slug}`;
  return (
    <>
      <PageHeader title="Settings" />
      <div className="mt-6 grid max-w-2xl gap-6">
        <Card heading="Identifiers">
          <div className="p-4 sm:p-5">
            <PointSystemIdentifiers pointSystem={pointSystem} />
            {publicUrl && (
              <p className="mt-3 text-sm">
                Public leaderboard:{" "}
                <a className="break-all text-accent underline" href={publicUrl}>
                  {publicUrl}
                </a>
              </p>
            )}
            <p className="mt-3 text-sm">
              Claim page:{" "}
              <a className="break-all text-accent underline" href={claimUrl}>
                {claimUrl}
              </a>
            </p>
          </div>
        </Card>
        {publicUrl && (
          <Card heading="Embed the leaderboard">
            <div className="p-4 sm:p-5">
              <EmbedSnippet url={publicUrl} name={pointSystem.name} />
            </div>
          </Card>
        )}
        {isOwner ? (
          <>
            <Card heading="Name and public address">
              <div className="p-4 sm:p-5">
                <Form
                  intent="update"
                  problems={problemsOf(answer, "update")}
                  submitLabel="Save"
                  isWide={false}
                >
                  <PointSystemFields problems={problemsOf(answer, "update")} {...pointSystem} />
                </Form>
              </div>
            </Card>
            <Card heading="Branding">
              <div className="p-4 sm:p-5">
                <Form
                  intent="brand"
                  problems={problemsOf(answer, "brand")}
                  submitLabel="Save branding"
                  encType="multipart/form-data"
                  isWide={false}
                >
                  <BrandFields problems={problemsOf(answer, "brand")} {...brand} />
                </Form>
              </div>
            </Card>
            <Card heading="Delete">
              <div className="space-y-4 p-4 text-sm sm:p-5">
                <p className="text-ink-muted">
                  This deletes its triggers, wallets, events, rewards and imports for good. API keys
                  stay, without this point system.
                </p>
                <ConfirmForm
                  intent="delete"
                  label="Delete the point system"
                  heading={`Delete ${pointSystem.name}?`}
                  text="This cannot be undone."
                  requireText={pointSystem.name}
                  confirmLabel="Delete for good"
                  problems={problemsOf(answer, "delete")}
                />
              </div>
            </Card>
          </>
        ) : (
          <p className="text-sm text-ink-muted">Only its owner can change a point system.</p>
        )}
      </div>
    </>
  );
}
