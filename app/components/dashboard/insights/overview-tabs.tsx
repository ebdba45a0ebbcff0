import { Tabs } from "../../ui/tabs";
import { getSectionPath } from "../shell/sections";

/** Links the two views of a point system's overview. */
export function OverviewTabs({
  pointSystemId,
  current,
}: {
  pointSystemId: string;
  current: "" | "program";
}) {
  const views = [
    { label: "Activity", path: "" },
    { label: "Program", path: "program" },
  ];
  const tabs = views.map(({ label, path }) => ({
    label,
    to: getSectionPath(pointSystemId, path),
    isCurrent: path === current,
  }));
  return <Tabs label="Views of the overview" tabs={tabs} />;
}
