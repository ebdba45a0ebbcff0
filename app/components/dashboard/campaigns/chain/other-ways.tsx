import { Field } from "../../../form/field";
import { Form } from "../../../form/form";
import { type FormProblems, fieldOf } from "../../../form/problems";
import { getButtonClass } from "../../../ui/button";
import { Card } from "../../../ui/card";
import type { ChainPageData } from "./page";

/**
 * Serves operators whose wallet is a Safe: they enter its address, and download its transactions.
 */
export function SafeCard({
  page,
  canNameAdmin,
  problems,
  href,
}: {
  page: ChainPageData;
  /** Whether the operator is the owner, who alone names the admin. */
  canNameAdmin: boolean;
  problems: FormProblems | undefined;
  href: string;
}) {
  const { campaign, unfunded } = page;
  const isCreation = campaign.onchainId === null;
  return (
    <Card heading="With a Safe">
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <p className="text-ink-muted">
          Download a file for Safe's Transaction Builder instead. This service finds the Safe's
          transactions on its own.
        </p>
        {isCreation && !canNameAdmin && (
          <p>Only the owner of the point system can name the Safe as the admin.</p>
        )}
        {isCreation && canNameAdmin && (
          <Form
            intent="admin"
            problems={problems}
            submitLabel="Make the Safe the admin"
            submitVariant="quiet"
            layout="inline"
          >
            <div className="min-w-0 flex-1 basis-64">
              <Field
                label="Address of the Safe"
                {...fieldOf(problems, "admin", campaign.adminAddress ?? "")}
                autoComplete="off"
                spellCheck={false}
              />
            </div>
          </Form>
        )}
        {campaign.adminAddress && unfunded.buckets > 0 && (
          <p>
            <a
              href={`${href}?admin=${campaign.adminAddress}`}
              download
              className={getButtonClass("quiet", "small")}
            >
              {isCreation ? "Download the creation" : "Download the next buckets"}
            </a>
            {unfunded.transactions > 1 && (
              <span className="mt-2 block text-ink-muted">
                {isCreation
                  ? "The buckets do not fit one transaction. Return for the next file when the creation is confirmed."
                  : "Return for the next file when these buckets are confirmed."}
              </span>
            )}
          </p>
        )}
      </div>
    </Card>
  );
}

/** Reports a transaction that was sent from another place. */
export function ReportCard({ problems }: { problems: FormProblems | undefined }) {
  return (
    <Card heading="Sent it another way?">
      <div className="p-4 text-sm sm:p-5">
        <Form
          intent="report"
          problems={problems}
          submitLabel="Look it up"
          submitVariant="quiet"
          layout="inline"
        >
          <div className="min-w-0 flex-1 basis-64">
            <Field
              label="Transaction hash"
              {...fieldOf(problems, "txHash")}
              autoComplete="off"
              spellCheck={false}
            />
          </div>
        </Form>
      </div>
    </Card>
  );
}
