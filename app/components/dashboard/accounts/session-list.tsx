import { ConfirmForm } from "../../form/confirm-form";
import { type FormProblems, problemsOf } from "../../form/problems";
import { Badge } from "../../ui/badge";
import { Ago } from "../../ui/local";

interface SessionEntry {
  id: string;
  agent: string;
  ip: string;
  since: Date;
  isCurrent: boolean;
}

/** Lists the browsers in which an operator is signed in. */
export function SessionList({
  sessions,
  answer,
  readAt,
}: {
  sessions: readonly SessionEntry[];
  answer: { problems: FormProblems } | object | undefined;
  readAt: number;
}) {
  return (
    <ul aria-label="Sessions" className="divide-y divide-line">
      {sessions.map(({ id, agent, ip, since, isCurrent }) => (
        <li
          key={id}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3 text-sm sm:px-5"
        >
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-medium">{agent}</span>
              {isCurrent && <Badge tone="success">This browser</Badge>}
            </p>
            <p className="mt-0.5 flex flex-wrap gap-x-3 text-ink-muted">
              {ip && <span className="break-all">{ip}</span>}
              <span>
                since <Ago date={since} now={readAt} />
              </span>
            </p>
          </div>
          {!isCurrent && (
            <ConfirmForm
              intent="end"
              fields={{ sessionId: id }}
              size="small"
              label="End"
              heading="End this session?"
              text={`${agent}${ip && ` at ${ip}`} is signed out.`}
              confirmLabel="End the session"
              problems={problemsOf(answer, "end", { sessionId: id })}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
