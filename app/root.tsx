import interLatin from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import type { LinksFunction } from "@remix-run/node";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useMatches,
  useRouteLoaderData,
} from "@remix-run/react";
import type { ReactNode } from "react";
import { ErrorMessage } from "./components/page/error-message";
import { useNonce } from "./components/page/nonce";
import { isForFrames, isForSafe } from "./components/page/page-handle";
import { findTheme } from "./domain/theme";
import stylesheet from "./tailwind.css?url";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheet },
  { rel: "preload", href: interLatin, as: "font", type: "font/woff2", crossOrigin: "anonymous" },
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
];

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  // In a frame on another site, browsers may refuse the storage in which scroll positions are kept.
  const isFramable = useMatches().some(({ handle }) => isForFrames(handle) || isForSafe(handle));
  const dashboard = useRouteLoaderData("routes/dashboard/layout") as
    | { theme?: unknown }
    | undefined;
  const theme = findTheme(dashboard?.theme);
  return (
    <html lang="en" data-theme={theme === "system" ? undefined : theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <Meta />
        <Links />
      </head>
      <body className="min-h-screen break-words bg-surface text-ink antialiased">
        {children}
        {!isFramable && <ScrollRestoration nonce={nonce} />}
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  return (
    <main className="mx-auto max-w-2xl px-6 py-24">
      <ErrorMessage home={{ label: "Back to the start", to: "/" }} />
    </main>
  );
}
