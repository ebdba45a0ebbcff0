import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { vitePlugin as remix } from "@remix-run/dev";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { LONG_FILES } from "./tests/long-files.mjs";

/** Folders whose modules must never reach a browser. */
const SERVER_ONLY =
  /^app\/(api|auth|chain|commands|db|http|net|process|server|services|worker)\/|^app\/env\.ts$/;

/**
 * The parts that most pages of the dashboard have: one file of them is smaller than one file for each. A public page
 * with one of them loads all.
 */
const DASHBOARD_PARTS =
  /\/(ui\/(data-table|table|pager|tabs|menu|notice|progress|empty-state|fact|badge|button-link|step)|page\/page-header|hooks\/use-(polling|is-offline))\.tsx?$/;

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

/** Writes the packages that a build has parts of beside it, for the bill of materials. */
function listPackages(): Plugin {
  return {
    name: "list-packages",
    apply: "build",
    writeBundle({ dir = "build" }) {
      const folders = new Set<string>();
      for (const id of this.getModuleIds()) {
        const file = path.relative(import.meta.dirname, id.replace("\0", ""));
        const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
        if (folder) folders.add(folder);
      }
      writeFileSync(`${dir}-packages.json`, JSON.stringify([...folders].sort()));
    },
  };
}

/** Writes the compressed forms of the files that browsers load beside them. */
function compressFiles(): Plugin {
  return {
    name: "compress-files",
    apply: "build",
    generateBundle: {
      // After the plugins that write styles.
      order: "post",
      handler(_, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          if (!/\.(js|css|svg)$/.test(name)) continue;
          const text = Buffer.from(file.type === "chunk" ? file.code : file.source);
          if (text.length < 1_024) continue;
          const forms = { br: brotliCompressSync(text), gz: gzipSync(text) };
          for (const [form, source] of Object.entries(forms)) {
            this.emitFile({ type: "asset", fileName: `${name}.${form}`, source });
          }
        }
      },
    },
  };
}

/** Puts the files that app/services/board/share-image-thread.ts reads beside the server's build. */
function addShareImageParts(): Plugin {
  const subsets = "cyrillic-ext,cyrillic,greek-ext,greek,vietnamese,latin-ext,latin".split(",");
  const files = [
    "@resvg/resvg-wasm/index_bg.wasm",
    ...subsets.map((name) => `@fontsource-variable/inter/files/inter-${name}-wght-normal.woff2`),
  ];
  return {
    name: "add-share-image-parts",
    apply: "build",
    generateBundle() {
      for (const file of files) {
        const source = readFileSync(path.resolve(import.meta.dirname, "node_modules", file));
        const fileName = `share-image/${path.basename(file)}`;
        this.emitFile({ type: "asset", fileName, source });
      }
    },
  };
}

const DATABASE_TESTS = "tests/{api,services}/**/*.test.ts";
const SLOW_TESTS = "tests/{api,services}/**/*.slow.test.ts";
const DEEP_DATABASE_TESTS = "tests/{api,services}/**/*.deep.test.ts";
const DEEP_TESTS = "tests/**/*.deep.test.ts";
/** Tests of speed: others that run beside them spoil their figures. */
const TIMED_CITUS_TESTS = "tests/citus/rate.test.ts";
const TIMED_DEEP_TESTS = "tests/server/hostile-input.deep.test.ts";
/** The files that `npm run check` leaves to `npm test`. */
const LEFT_OUT = process.env.QUICK ? LONG_FILES : [];

// By its path, so that a build of the service loads no Vitest.
const sequencer = path.resolve(import.meta.dirname, "tests/setup/longest-first.mjs");
const sequence = process.env.VITEST ? { sequencer: (await import(sequencer)).LongestFirst } : {};

export default defineConfig(({ isSsrBuild, command, mode }) => ({
  // Without it, `npm run dev` hands `using` on to a Node that does not know it.
  esbuild: { target: "es2022" },
  build: {
    // One target for both builds: with two, the CSS file's hash differs between server and client.
    target: "es2022",
    // prom-client requires this one in a try block. Left as it is, the call fails silently: a module has no `require`.
    commonjsOptions: { ignoreTryCatch: (id: string) => id !== "perf_hooks" },
    ...(!isSsrBuild && {
      rollupOptions: {
        output: {
          onlyExplicitManualChunks: true,
          manualChunks: (id: string) => (DASHBOARD_PARTS.test(id) ? "dashboard-parts" : undefined),
        },
      },
    }),
    // `npm run bench` measures the same build with its own server beside production's.
    ...(isSsrBuild && {
      rollupOptions: {
        input: [
          "app/server/main.ts",
          "app/server/worker-main.ts",
          // Operators' commands, which app/commands/run.mjs finds by their names.
          "app/commands/backup.ts",
          "app/commands/db-distribute.ts",
          "app/commands/gift-cards-rotate.ts",
          "app/commands/ledger-archive.ts",
          "app/commands/ledger-verify.ts",
          "app/commands/mcp.ts",
          "app/commands/migrate.ts",
          "app/commands/operators.ts",
          "app/commands/ranks-rebuild.ts",
          "app/commands/restore.ts",
          "contracts/scripts/deploy.ts",
          "drizzle/seed.ts",
          // app/services/runtime/threads.ts finds these by their names.
          "app/services/board/share-image-thread.ts",
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
  // All packages are found at the start: one that is found later makes a second copy of React.
  // Components import no server code, unlike routes.
  optimizeDeps: { entries: ["app/entry.client.tsx", "app/components/**/*.tsx"] },
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
      listPackages(),
      isSsrBuild ? addShareImageParts() : compressFiles(),
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
  ],
  test: {
    pool: "forks",
    setupFiles: ["tests/setup/warnings.ts"],
    // One more than there are cores as a rule: much of the time is spent on waiting.
    maxWorkers: 3,
    sequence,
    // What is waited for may come late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // Once more for what waits for processes and networks, and npm test says which needed it. Never
    // for a property: its counterexample is one, however seldom it is drawn.
    retry: { count: 1, condition: /^(?!Property failed)/ },
    projects: [
      {
        extends: true,
        test: {
          name: "domain",
          isolate: false,
          retry: 0,
          include: ["tests/domain/**/*.test.ts"],
          exclude: LEFT_OUT,
          testTimeout: 30_000,
        },
      },
      // What waits, or plays a chain or a provider, is called *.slow.test.ts; faults, random histories and
      // large data are called *.deep.test.ts. Both are of npm run test:deep alone.
      ...[
        {
          name: "database",
          include: [DATABASE_TESTS],
          exclude: [SLOW_TESTS, DEEP_TESTS, ...LEFT_OUT],
        },
        { name: "slow", include: [SLOW_TESTS] },
        // Of npm run test:citus alone.
        {
          name: "citus",
          include: ["tests/citus/**/*.test.ts"],
          exclude: [TIMED_CITUS_TESTS],
          testTimeout: 240_000,
          hookTimeout: 60_000,
          retry: 0,
        },
        { name: "deep-database", include: [DEEP_DATABASE_TESTS], testTimeout: 120_000 },
      ].map((project) => ({
        extends: true as const,
        test: {
          testTimeout: 30_000,
          ...project,
          // The files of a worker load the modules once. Each has a database of its own.
          isolate: false,
          globalSetup: ["tests/setup/cluster.ts"],
          setupFiles: ["tests/setup/database.ts"],
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
          include: ["tests/faults/**/*.test.ts", DEEP_TESTS],
          exclude: [DEEP_DATABASE_TESTS, TIMED_DEEP_TESTS],
          globalSetup: ["tests/setup/build.ts", "tests/setup/data-dir.ts"],
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
      // After all others, a file at a time.
      ...[
        { name: "timed-citus", include: [TIMED_CITUS_TESTS], retry: 0 },
        {
          name: "timed-deep",
          include: [TIMED_DEEP_TESTS],
          globalSetup: ["tests/setup/build.ts", "tests/setup/data-dir.ts"],
        },
      ].map((project) => ({
        extends: true as const,
        test: {
          ...project,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 240_000,
          hookTimeout: 120_000,
        },
      })),
    ],
  },
}));
