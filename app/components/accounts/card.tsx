import type { ReactNode } from "react";
import { Brand } from "../page/brand";

/** Frames the pages that come before the dashboard. */
export function AuthCard({
  heading,
  intro,
  children,
}: {
  heading: string;
  intro?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <main className="mx-auto flex min-h-screen max-w-md flex-col justify-center px-5 py-12">
      <Brand />
      <div className="mt-6 rounded-2xl border border-line bg-raised p-6 shadow-sm sm:p-8">
        <h1 className="break-words text-xl font-semibold tracking-tight">{heading}</h1>
        {intro && <div className="mt-2 break-words text-sm text-ink-muted">{intro}</div>}
        {children && <div className="mt-6">{children}</div>}
      </div>
    </main>
  );
}
