import { ConfirmForm } from "../../form/confirm-form";
import { Form } from "../../form/form";
import { type FormProblems, fieldOf } from "../../form/problems";
import { TextAreaField } from "../../form/text-area-field";
import { Ago } from "../../ui/local";

interface Note {
  id: string;
  note: string;
  date: Date;
  operator: string | null;
}

/**
 * Lists operators' notes on a wallet, with the form for another one.
 * @param props.canWrite whether the reader may add and delete notes
 * @param props.now the moment that ages are counted from, in milliseconds since 1970
 */
export function WalletNotes({
  notes,
  canWrite,
  token,
  problems,
  now,
}: {
  notes: readonly Note[];
  canWrite: boolean;
  token: string;
  problems: FormProblems | undefined;
  now: number;
}) {
  return (
    <>
      {notes.length === 0 && !canWrite && (
        <p className="px-4 py-4 text-sm text-ink-muted sm:px-5">No notes yet.</p>
      )}
      {notes.length > 0 && (
        <ul className="divide-y divide-line border-b border-line">
          {notes.map(({ id, note, date, operator }) => (
            <li key={id} className="px-4 py-3 text-sm sm:px-5">
              <p className="whitespace-pre-line break-words">{note}</p>
              <div className="mt-1 flex items-center justify-between gap-3 text-xs text-ink-muted">
                <span className="min-w-0 break-words">
                  {operator ?? "A former operator"}, <Ago date={date} now={now} />
                </span>
                {canWrite && (
                  <ConfirmForm
                    intent="deleteNote"
                    fields={{ id }}
                    size="small"
                    label={
                      <>
                        Delete<span className="sr-only"> the note “{note.slice(0, 40)}”</span>
                      </>
                    }
                    heading="Delete this note?"
                    text="The audit log keeps its text."
                    confirmLabel="Delete note"
                  />
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {canWrite && (
        <div className="p-4 sm:p-5">
          <Form
            // The key gives each note a new form, which begins empty.
            key={notes[0]?.id}
            intent="note"
            fields={{ token: problems?.values.token ?? token }}
            problems={problems}
            submitLabel="Add note"
          >
            <TextAreaField
              label="Text"
              {...fieldOf(problems, "text")}
              rows={2}
              maxLength={500}
              hint="All members of the point system can read it."
            />
          </Form>
        </div>
      )}
    </>
  );
}
