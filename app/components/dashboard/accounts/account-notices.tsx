import { Form, Link } from "@remix-run/react";
import { ACCOUNT_NOTICES, type AccountNoticeKind } from "../../../domain/accounts/notice";
import { Button } from "../../ui/button";
import { Ago } from "../../ui/local";

/** Shows what happened to an operator's account, until they dismiss it. */
export function AccountNotices({
  notices,
  readAt,
}: {
  notices: readonly {
    id: number;
    kind: AccountNoticeKind;
    detail: string;
    ip: string;
    createdAt: Date;
  }[];
  readAt: number;
}) {
  return (
    <section
      aria-label="Notices about your account"
      className="space-y-3 rounded-lg border border-accent/40 bg-accent/10 p-4 text-sm"
    >
      <ul className="space-y-1">
        {notices.map(({ id, kind, detail, ip, createdAt }) => (
          <li key={id} className="break-words">
            {ACCOUNT_NOTICES[kind]} <span className="font-medium">{detail}</span>
            {ip && ` at ${ip}`}, <Ago date={createdAt} now={readAt} />
          </li>
        ))}
      </ul>
      <p>
        If it was not you,{" "}
        <Link to="/dashboard/account" className="underline">
          change your password and end all other sessions
        </Link>
        .
      </p>
      <Form method="post" action="/dashboard/account">
        <input type="hidden" hidden name="intent" value="dismiss" />
        <Button type="submit" variant="quiet" size="small">
          Got it
        </Button>
      </Form>
    </section>
  );
}
