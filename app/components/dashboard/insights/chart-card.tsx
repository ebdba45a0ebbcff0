import type { ReactNode } from "react";
import { Card } from "../../ui/card";

/** Shows a card around a chart. */
export function ChartCard({
  heading,
  aside = "Days in UTC",
  children,
}: {
  heading: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Card heading={heading} aside={aside}>
      <div className="p-4 sm:p-5">{children}</div>
    </Card>
  );
}
