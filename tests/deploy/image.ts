import { execFile, spawn } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../support/ensure-program";
import { waitUntil } from "../support/server-process";

const COVERED = "the image";
const run = promisify(execFile);

/** The settings of an image, as its Dockerfile gives them. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly StopSignal: string;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/** A container that runs. */
interface Container {
  /** The process of the image's command. */
  readonly pid: number;
  readonly output: () => string;
  /** Runs a command beside it, as its user. */
  readonly exec: (command: readonly string[]) => Promise<void>;
  /** Sends it a signal, and returns its exit status. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** Checks whether images can be built and run here: by root of Debian, outside of a container that forbids it. */
export async function canBuildImages(): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    console.warn(`Only root builds images without a registry, so ${COVERED} is NOT TESTED here`);
    return false;
  }
  const programs = ["buildah", "mmdebstrap"];
  if (!programs.every((program) => findProgram(program, program, COVERED))) return false;
  const builder = await createBuilder();
  try {
    await builder
      .buildah("run", await builder.buildah("from", "scratch"), "true")
      .catch((error) => {
        // There is nothing to run in it: but it was entered.
        if (!/executable file not found|no such file/i.test(error.stderr)) throw error;
      });
    await run("unshare", ["--mount", "--pid", "--fork", "true"]);
    return true;
  } catch (error) {
    console.warn(`${error}\nNamespaces are forbidden, so ${COVERED} is NOT TESTED here`);
    return false;
  } finally {
    await builder.remove();
  }
}

/** Makes a place for images that ends with the test. */
export async function createBuilder() {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-image-"));
  const place = [`--root=${folder}/store`, `--runroot=${folder}/run`];
  const env = { ...process.env, BUILDAH_ISOLATION: "chroot" };
  /** Runs buildah, and returns its answer. */
  const buildah = async (...args: string[]) => {
    const { stdout } = await run("buildah", [...place, ...args], { env, maxBuffer: 1e8 });
    return stdout.trim();
  };

  return {
    folder,
    buildah,

    /** Makes the image that the Dockerfile begins with: Debian from its packages, and this machine's Node. */
    async makeBase(): Promise<string> {
      const name = "localhost/node";
      const debian = path.join(folder, "debian.tar");
      await run("mmdebstrap", ["--quiet", "--variant=minbase", "bookworm", debian]);
      const container = await buildah("from", "scratch");
      await buildah("add", "--quiet", container, debian, "/");
      await fs.rm(debian);
      await buildah("add", "--quiet", container, process.execPath, "/usr/local/bin/node");
      const { stdout } = await run("npm", ["root", "--global"]);
      const npm = path.join(stdout.trim(), "npm");
      await buildah("add", "--quiet", container, npm, "/usr/local/lib/node_modules/npm");
      const link = ["ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm"];
      await buildah("run", container, "--", ...link);
      // A network that looks into TLS has an authority of its own.
      const authority = process.env.NODE_EXTRA_CA_CERTS;
      if (authority) {
        await buildah("add", "--quiet", container, authority, "/etc/network-authority.pem");
        await buildah("config", "--env=NODE_EXTRA_CA_CERTS=/etc/network-authority.pem", container);
      }
      await buildah("config", "--env=npm_config_prefer_offline=true", container);
      await buildah("commit", "--quiet", "--rm", container, name);
      return name;
    },

    /** Builds deploy/Dockerfile of this checkout, with the packages that npm has fetched before at hand. */
    async build(base: string, name: string): Promise<ImageConfig> {
      const { stdout: cache } = await run("npm", ["config", "get", "cache"]);
      const { stdout: files } = await run("sh", ["-c", "ulimit -n"]);
      await buildah(
        ...["build", "--quiet", "--format=docker", "--pull-never", `--build-arg=BASE=${base}`],
        ...[`--volume=${cache.trim()}:/root/.npm`, `--ulimit=nofile=${files.trim()}`],
        ...["--file=deploy/Dockerfile", `--tag=${name}`, "."],
      );
      return JSON.parse(await buildah("inspect", "--type=image", name)).Docker.config;
    },

    /** Starts the image's command, or another one, as `docker run --read-only --tmpfs /tmp --cap-drop ALL` does. */
    async start(
      image: string,
      config: ImageConfig,
      { env: own, command }: { env: Record<string, string>; command?: readonly string[] },
    ): Promise<Container> {
      const container = await buildah("from", "--pull-never", image);
      const tree = await buildah("mount", container);
      const [uid = "", gid = ""] = config.User.split(":");
      const volumes = Object.keys(config.Volumes).flatMap((target) => [
        path.join(folder, "volumes", target),
        target,
      ]);
      const asUser = ["--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
      const child = spawn(
        "unshare",
        [
          ...["--mount", "--propagation=private", "--pid", "--fork", "--ipc", "--uts"],
          ...["sh", "-euc", ENTER, "enter", tree, ...volumes],
          ...["--", "setpriv", `--reuid=${uid}`, `--regid=${gid}`, ...asUser, "env", "-i"],
          ...[`--chdir=${config.WorkingDir}`, ...config.Env],
          ...Object.entries(own).map(([name, value]) => `${name}=${value}`),
          ...(command ?? config.Cmd),
        ],
        { stdio: ["ignore", "pipe", "pipe"] },
      );
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          output += chunk;
        });
      }
      const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
      const readChild = () =>
        fs.readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").catch(() => "");
      let pid = 0;
      await waitUntil(async () => {
        pid = Number(await readChild());
        return pid > 0 || child.exitCode !== null;
      }, 10_000);
      return {
        pid,
        output: () => output,
        async exec(command) {
          const into = [`--target=${pid}`, "--mount", "--pid", "--root", "--wd"];
          const as = [`--setuid=${uid}`, `--setgid=${gid}`];
          const variables = await fs.readFile(`/proc/${pid}/environ`, "utf8");
          const env = ["env", "-i", ...variables.split("\0").filter(Boolean)];
          await run("nsenter", [...into, ...as, "--", ...env, ...command]);
        },
        async end(signal) {
          if (child.exitCode === null) process.kill(pid, signal);
          return exited;
        },
      };
    },

    async remove() {
      await buildah("umount", "--all").catch(() => {});
      await buildah("rm", "--all").catch(() => {});
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a tree the root of this namespace, read-only but for /tmp and volumes, and runs what follows `--` in it. */
const ENTER = `
tree=$1; shift
mount --bind "$tree" "$tree"
mount -t proc proc "$tree/proc"
mount --rbind /dev "$tree/dev"
mount -t tmpfs tmpfs "$tree/tmp"
while [ "$1" != -- ]; do
  mkdir -p "$1"
  chown --reference="$tree$2" "$1"
  mount --bind "$1" "$tree$2"
  shift 2
done
shift
mount -o remount,bind,ro "$tree"
exec chroot "$tree" "$@"
`;
