import path from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import type { Plugin } from "vite";
import tsconfigPaths from "vite-tsconfig-paths";
import { defineConfig } from "vitest/config";

/** Folders whose modules must never reach a browser. */
const SERVER_ONLY =
  /^app\/(api|auth|chain|commands|db|http|process|server|services|worker)\/|^app\/env\.ts$/;

/** Fails the client build when a module that goes to the browser imports server code. */
function refuseServerCodeInClient(isSsrBuild: boolean): Plugin {
  const toFile = (id: string) => path.relative(import.meta.dirname, id);
  return {
    name: "refuse-server-code-in-client",
    apply: "build",
    buildEnd(failure) {
      if (failure || isSsrBuild) return;
      for (const id of this.getModuleIds()) {
        if (!SERVER_ONLY.test(toFile(id))) continue;
        // Remix asks each route for its browser half only; that of an endpoint is empty.
        const importer = this.getModuleInfo(id)?.importers.find((from) => !from.includes("?"));
        if (importer)
          this.error(`${toFile(importer)} goes to the browser: it imports ${toFile(id)}`);
      }
    },
  };
}

const DATABASE_TESTS = "tests/{api,services}/**/*.test.ts";
const SLOW_TESTS = "tests/{api,services}/**/*.slow.test.ts";
const DEEP_TESTS = "tests/**/*.deep.test.ts";

export default defineConfig(({ isSsrBuild, command, mode }) => ({
  build: {
    // One target for both builds: with two, the CSS file's hash differs between server and client.
    target: "es2022",
    // `npm run bench` measures the same build with its own server beside production's.
    ...(isSsrBuild && {
      rollupOptions: {
        input: [
          "app/server/main.ts",
          "app/server/worker-main.ts",
          // app/services/runtime/threads.ts finds these by their names.
          "app/services/campaigns/build/build-thread.ts",
          "app/services/trees/tree-thread.ts",
          ...(mode === "bench" ? ["tests/bench/server.ts"] : []),
        ],
      },
    }),
  },
  // Settled at build time for the server too: nobody can run React's development half by mistake.
  define: command === "build" ? { "process.env.NODE_ENV": JSON.stringify("production") } : {},
  // The server's dependencies are bundled: a warm start takes a third of the time. WalletConnect is
  // left out: browsers alone load it, and it is a third of the modules.
  ssr:
    command === "build"
      ? {
          noExternal: true,
          external: ["@node-rs/argon2", "@remix-run/node", "@walletconnect/ethereum-provider"],
        }
      : {},
  resolve: {
    alias: {
      // Its other half, which Safe's provider asks for, comes with the whole of viem once more.
      "@safe-global/safe-apps-sdk": path.resolve(
        import.meta.dirname,
        "node_modules/@safe-global/safe-apps-sdk/dist/esm/index.js",
      ),
    },
  },
  plugins: [
    // In tests, route modules are plain modules.
    !process.env.VITEST && [
      refuseServerCodeInClient(isSsrBuild ?? false),
      remix({
        // The demo's build has a wallet whose key is everybody's: it never lies where others look.
        buildDirectory: ["bench", "demo"].includes(mode) ? `build-${mode}` : "build",
        serverBuildFile: "[name].js",
        future: {
          v3_fetcherPersist: true,
          v3_relativeSplatPath: true,
          v3_throwAbortReason: true,
          v3_singleFetch: true,
          v3_routeConfig: true,
          v3_lazyRouteDiscovery: false,
        },
      }),
    ],
    tsconfigPaths(),
  ],
  test: {
    pool: "forks",
    setupFiles: ["tests/setup/warnings.ts"],
    // One more than there are cores as a rule: much of the time is spent on waiting.
    maxWorkers: 3,
    // Once more for what waits for processes and networks, and npm test says which needed it. Never
    // for a property: its counterexample is one, however seldom it is drawn.
    retry: { count: 1, condition: /^(?!Property failed)/ },
    projects: [
      {
        extends: true,
        test: {
          name: "domain",
          retry: 0,
          include: ["tests/domain/**/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: "contracts",
          retry: 0,
          include: ["tests/contracts/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
      // What waits, or plays a chain or a provider, is called *.slow.test.ts: npm run check leaves it out.
      ...[
        { name: "database", include: [DATABASE_TESTS], exclude: [SLOW_TESTS] },
        { name: "slow", include: [SLOW_TESTS] },
      ].map((project) => ({
        extends: true as const,
        test: {
          ...project,
          globalSetup: ["tests/setup/cluster.ts"],
          setupFiles: ["tests/setup/database.ts"],
          testTimeout: 30_000,
        },
      })),
      {
        extends: true,
        test: {
          name: "processes",
          include: ["tests/{db,server,commands}/**/*.test.ts"],
          exclude: [DEEP_TESTS],
          globalSetup: ["tests/setup/build.ts", "tests/setup/data-dir.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      // Of npm run test:deep alone.
      {
        extends: true,
        test: {
          name: "deep",
          retry: 0,
          include: ["tests/faults/**/*.test.ts", DEEP_TESTS],
          globalSetup: ["tests/setup/build.ts", "tests/setup/data-dir.ts"],
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
}));
