import type { HeadersFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { Form, useLoaderData, useSearchParams } from "@remix-run/react";
import { lazy, Suspense } from "react";
import {
  getWalletConnectProjectId,
  listBrowserChains,
  listSafeAppOrigins,
} from "../../chain/rpc/chains";
import { type ClaimPageData, CONNECT_PLACE_ID } from "../../components/claims/claim-page";
import { Field } from "../../components/form/field";
import { useIsHydrated } from "../../components/hooks/use-is-hydrated";
import { Brand } from "../../components/page/brand";
import type { PageHandle } from "../../components/page/page-handle";
import { Branded } from "../../components/public/branded";
import { PublicProblem } from "../../components/public/problem";
import { Button } from "../../components/ui/button";
import { TableSkeleton } from "../../components/ui/skeleton";
import { useWalletDocument } from "../../components/wallet/document";
import { page } from "../../http/page";
import { getPublicPointSystem } from "../../services/point-systems/public-point-system";
import { canResolveNames } from "../../services/search/wallet-search";
import { getPublicHeaders } from "../public/board.server";

// This page is public. It never reads the session, and so neither reads nor sets a cookie.

export const handle: PageHandle = { usesWallet: true, isSafeApp: true };

export const loader = page(async ({ params, context }: LoaderFunctionArgs) => {
  const data: ClaimPageData = {
    pointSystem: await getPublicPointSystem(params.slug ?? ""),
    chains: listBrowserChains(),
    walletConnectProjectId: getWalletConnectProjectId(),
    safeAppOrigins: listSafeAppOrigins(),
    origin: context.appOrigin,
    canResolveNames: canResolveNames(),
  };
  return data;
});

/** Never reads the data again: a search for another wallet stays on the same page. */
export const shouldRevalidate = () => false;

export const headers: HeadersFunction = getPublicHeaders;

export const meta: MetaFunction<typeof loader> = ({ data }) =>
  data
    ? [
        { title: `Claim rewards · ${data.pointSystem.name}` },
        {
          name: "description",
          content: `Check and claim your rewards of ${data.pointSystem.name}.`,
        },
      ]
    : [];

const ClaimWallet = lazy(() => import("../../components/claims/claim-wallet"));

export default function ClaimPage() {
  const data = useLoaderData<typeof loader>();
  const { pointSystem } = data;
  const typed = (useSearchParams()[0].get("wallet") ?? "").trim();
  useWalletDocument();
  const isHydrated = useIsHydrated();
  return (
    <Branded brand={pointSystem}>
      <main className="mx-auto max-w-2xl px-4 py-8 sm:px-6 sm:py-14">
        <header className="space-y-3">
          {pointSystem.logoUrl && (
            <img src={pointSystem.logoUrl} alt="" className="h-14 max-w-48 object-contain" />
          )}
          <h1 className="break-words text-2xl font-semibold tracking-tight">{pointSystem.name}</h1>
          <p className="whitespace-pre-line break-words text-ink-muted">
            {pointSystem.intro ?? "Check your rewards and claim them."}
          </p>
        </header>
        {pointSystem.slug && (
          <p className="mt-3 text-sm">
            <a
              href={`/l/${pointSystem.slug}`}
              className="inline-flex min-h-6 items-center text-accent underline"
            >
              Leaderboard
            </a>
          </p>
        )}
        <div id={CONNECT_PLACE_ID} className="mt-6 min-h-8" />
        <Form
          role="search"
          preventScrollReset
          key={typed}
          className="mt-4 flex flex-wrap items-start gap-3"
        >
          <div className="min-w-0 flex-1 basis-56">
            <Field
              label={data.canResolveNames ? "Wallet or ENS name" : "Wallet address"}
              name="wallet"
              autoComplete="off"
              spellCheck={false}
              placeholder={data.canResolveNames ? "0x… or name.eth" : "0x…"}
              maxLength={300}
              defaultValue={typed}
            />
          </div>
          {/* In line with the box, whatever is below it. */}
          <Button type="submit" variant="quiet" className="min-[360px]:mt-[1.625rem]">
            Look up
          </Button>
        </Form>
        <noscript>
          <p className="mt-6 text-sm">This page needs JavaScript to reach wallets and chains.</p>
        </noscript>
        {isHydrated ? (
          <Suspense fallback={<Loading />}>
            <ClaimWallet page={data} typed={typed} />
          </Suspense>
        ) : (
          <Loading />
        )}
        <footer className="mt-12 text-sm text-ink-muted">
          <Brand />
        </footer>
      </main>
    </Branded>
  );
}

function Loading() {
  return (
    <div className="mt-8 rounded-xl border border-line bg-raised">
      <TableSkeleton rows={3} columns={1} />
    </div>
  );
}

export function ErrorBoundary() {
  return <PublicProblem what="claim page" />;
}
