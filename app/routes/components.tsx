import type { MetaFunction } from "@remix-run/node";
import { Circle, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { CheckboxGroup } from "../components/form/checkbox-group";
import { ConfirmForm } from "../components/form/confirm-form";
import { Field } from "../components/form/field";
import { Form } from "../components/form/form";
import type { FormProblems } from "../components/form/problems";
import { RadioGroup } from "../components/form/radio-group";
import { SelectField } from "../components/form/select-field";
import { TextAreaField } from "../components/form/text-area-field";
import { PageHeader } from "../components/page/page-header";
import { Address } from "../components/ui/address";
import { Alert } from "../components/ui/alert";
import { Badge } from "../components/ui/badge";
import { Button } from "../components/ui/button";
import { ButtonLink } from "../components/ui/button-link";
import { Card } from "../components/ui/card";
import { DailyChart } from "../components/ui/charts/lazy-chart";
import { Sparkline } from "../components/ui/charts/sparkline";
import { CopyTextButton } from "../components/ui/copy-button";
import { DataTable } from "../components/ui/data-table";
import { EmptyState } from "../components/ui/empty-state";
import { Fact, Figure } from "../components/ui/fact";
import { Ago, Count, Day } from "../components/ui/local";
import { ActionMenu, Divider, getItemClass, getOpener, Panel } from "../components/ui/menu";
import { Pager } from "../components/ui/pager";
import { Progress } from "../components/ui/progress";
import { TableSkeleton } from "../components/ui/skeleton";
import { Step, Steps } from "../components/ui/step";
import { Tabs } from "../components/ui/tabs";
import { TokenAmount } from "../components/ui/token-amount";

// Every component in its states, to look at while one is changed. `npm run dev` alone serves it.

export const meta: MetaFunction = () => [{ title: "Components · Points and Rewards" }];

/** Takes any form of this page, and changes nothing. */
export const action = () => ({ isTaken: true });

const NOW = Date.UTC(2026, 0, 31, 12);
const HOUR_MS = 3_600_000;
const TOKEN = { tokenDecimals: 18, tokenSymbol: "HRB" };
const OPTIONS = [
  { value: "read", label: "Read", hint: "Reads points and ranks." },
  { value: "trigger", label: "Trigger", hint: "Credits points." },
];
const PROBLEMS: FormProblems = {
  intent: "fail",
  form: "The trigger “Daily login” already uses this key.",
  fields: { key: "Use a–z, 0–9 and _ only." },
  values: { key: "Daily login" },
  lists: {},
};
const WALLETS = [
  { rank: 1, address: "0x5aeda56215b167893e80b4fe645ba6d5bab767de", points: 1_240_500 },
  { rank: 2, address: "0x6330a553fc93768f612722bb8c2ec78ac90b3bbc", points: 98_000 },
  { rank: 3, address: "0x90f79bf6eb2c4f870365e785982e1f101e93b906", points: 12 },
];
const DAYS = Array.from({ length: 30 }, (_, i) => ({
  day: new Date(NOW - (29 - i) * 24 * HOUR_MS).toISOString().slice(0, 10),
  value: Math.round(400 + 300 * Math.sin(i / 3) + 10 * i),
}));

export default function Components() {
  return (
    <main className="mx-auto max-w-4xl space-y-6 px-4 py-8 sm:px-6">
      <PageHeader
        title="Components"
        description="Each in its states. The rules are in docs/design/look.md."
        breadcrumb={[{ label: "Start", to: "/" }]}
        actions={<CopyTextButton text="example" label="Copy ID" />}
      />
      <Buttons />
      <Forms />
      <Values />
      <Tables />
      <States />
      <Charts />
    </main>
  );
}

const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3 px-4 py-4 sm:px-5">{children}</div>
);

function Buttons() {
  return (
    <Card heading="Buttons, links and menus" aside="One primary button per card">
      <Row>
        <Button>Save</Button>
        <Button variant="quiet">Edit</Button>
        <Button variant="danger">Delete</Button>
        <Button isBusy>Saving</Button>
        <Button size="small" variant="quiet">
          Small
        </Button>
        <ButtonLink to="/" variant="quiet">
          A link
        </ButtonLink>
      </Row>
      <Row>
        <Button variant="quiet" {...getOpener("components-menu")}>
          Menu
        </Button>
        <Panel id="components-menu" label="Example menu" className="inset-x-4 top-24 m-0 sm:w-64">
          <button type="button" className={getItemClass(true)}>
            <Circle aria-hidden="true" className="size-4" /> Chosen
          </button>
          <Divider />
          <button type="button" className={getItemClass()}>
            <Copy aria-hidden="true" className="size-4" /> Copy
          </button>
        </Panel>
        <ActionMenu id="components-actions" label="More actions">
          <ConfirmForm
            intent="rare"
            isInMenu
            label="Rotate the secret"
            heading="Rotate the secret?"
            text="The question closes the menu."
            confirmLabel="Rotate the secret"
          />
        </ActionMenu>
        <ConfirmForm
          intent="confirm"
          label="Delete trigger"
          heading="Delete “Daily login”?"
          text="Its events stay. Calls of it are rejected from now on."
          confirmLabel="Delete trigger"
        />
        <Tabs
          label="Example views"
          tabs={[
            { label: "All time", to: "", isCurrent: true },
            { label: "This week", to: "?board=weekly", isCurrent: false },
          ]}
        />
      </Row>
    </Card>
  );
}

function Forms() {
  return (
    <Card heading="Forms">
      <div className="grid gap-8 px-4 py-5 sm:grid-cols-2 sm:px-5">
        <Form intent="save" problems={undefined} submitLabel="Save">
          <Field
            label="Name"
            name="name"
            hint="Wallet holders see it."
            defaultValue="Daily login"
          />
          <Field label="Note" name="note" isOptional placeholder="Prize of the quiz" />
          <Field label="Password" name="password" type="password" autoComplete="off" />
          <SelectField label="Chain" name="chain" options={OPTIONS} />
          <TextAreaField label="Wallets" name="wallets" />
        </Form>
        <Form intent="fail" problems={PROBLEMS} submitLabel="Create trigger">
          <Field label="Key" name="key" problem={PROBLEMS.fields.key} defaultValue="Daily login" />
          <RadioGroup label="Permission" name="permission" options={OPTIONS} defaultValue="read" />
          <CheckboxGroup label="Events" name="events" options={OPTIONS} defaultValues={["read"]} />
        </Form>
      </div>
    </Card>
  );
}

function Values() {
  const [first] = WALLETS;
  return (
    <Card heading="Values">
      <dl className="grid gap-4 px-4 py-4 text-sm sm:grid-cols-3 sm:px-5">
        <Figure label="Points">
          <Count value={1_240_500} />
        </Figure>
        <Figure label="Allocated">
          <TokenAmount amountWei={26_889_123_456_789_012_345n} token={TOKEN} />
        </Figure>
        <Figure label="Last 30 days">
          <Sparkline values={DAYS.map(({ value }) => value)} />
        </Figure>
        <Fact label="Wallet">
          <Address address={first?.address ?? ""} to="/" />
        </Fact>
        <Fact label="Created">
          <Day date={new Date(NOW)} />
        </Fact>
        <Fact label="Last credit">
          <Ago date={new Date(NOW - 3 * HOUR_MS)} now={NOW} />
        </Fact>
        <Fact label="States" isWide>
          <span className="flex flex-wrap gap-2">
            <Badge>Draft</Badge>
            <Badge tone="accent">Published</Badge>
            <Badge tone="success">Claimable</Badge>
            <Badge tone="danger">Failed</Badge>
          </span>
        </Fact>
      </dl>
    </Card>
  );
}

function Tables() {
  return (
    <Card heading="Tables" aside="Numbers end at the right edge">
      <DataTable
        label="Example wallets"
        rows={WALLETS}
        getRowId={({ address }) => address}
        markedRowId={WALLETS[1]?.address ?? null}
        columns={[
          { label: "Rank", cell: ({ rank }) => rank, sortBy: ({ rank }) => rank },
          { label: "Wallet", cell: ({ address }) => <Address address={address} /> },
          {
            label: "Points",
            align: "end",
            cell: ({ points }) => <Count value={points} />,
            sortBy: ({ points }) => points,
          },
        ]}
      />
      <div className="px-4 pb-4 sm:px-5">
        <Pager
          page={2}
          totalPages={9}
          total={212}
          label="wallets"
          makeHref={(page) => `?page=${page}`}
        />
      </div>
    </Card>
  );
}

function States() {
  return (
    <>
      <Card heading="States">
        <div className="space-y-4 px-4 py-4 text-sm sm:px-5">
          <Alert>The change could not be saved. Try again.</Alert>
          <Progress label="Import" value={640} max={1_000}>
            640 of 1,000 wallets are credited.
          </Progress>
        </div>
        <Steps label="Example steps">
          <Step number={1} title="Create a trigger" state="done" summary="Daily login" />
          <Step number={2} title="Create an API key" state="current">
            <Button size="small">Create key</Button>
          </Step>
          <Step number={3} title="Send the first event" state="later" />
        </Steps>
      </Card>
      <Card heading="Empty">
        <EmptyState heading="No rewards yet">
          Create a campaign to turn points into tokens.
        </EmptyState>
      </Card>
      <Card heading="Loading">
        <TableSkeleton rows={3} columns={3} />
      </Card>
    </>
  );
}

function Charts() {
  return (
    <Card heading="Charts" aside="Each with its table">
      <div className="space-y-6 px-4 py-4 sm:px-5">
        <DailyChart label="Points per day" unit="points" data={DAYS} />
        <DailyChart label="Wallets per day" unit="wallets" data={DAYS} kind="line" hue="chart-2" />
      </div>
    </Card>
  );
}
