import { spawn } from "node:child_process";
import net from "node:net";
import type { Defer } from "./clean-up";
import { createDataDir } from "./cluster";
import { ensureProgram } from "./ensure-program";

const INSTALL_HINT =
  "This benchmark needs redis-server. Debian and Ubuntu: apt-get install redis-server. macOS: brew install redis.";
const START_WAIT_MS = 10_000;

/** A connection that sends one command at a time. */
export interface Redis {
  /** @returns the first line of the answer, without its type */
  readonly call: (...words: string[]) => Promise<string>;
  /** Sends commands without waiting for each answer. */
  readonly pipeline: (commands: readonly string[][]) => Promise<void>;
}

/** Starts a Redis that keeps nothing on disk, on a free port of the loopback interface. */
export async function startRedis(defer: Defer): Promise<Redis> {
  ensureProgram("redis-server", "redis-server", INSTALL_HINT);
  const port = await findFreePort();
  const child = spawn(
    "redis-server",
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    { cwd: createDataDir(defer), stdio: "ignore" },
  );
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  defer(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const socket = await connectWhenReady(port);
  defer(() => {
    socket.destroy();
  });
  return speak(socket);
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function connectWhenReady(port: number): Promise<net.Socket> {
  const givesUpAt = Date.now() + START_WAIT_MS;
  for (;;) {
    const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return socket;
    if (Date.now() > givesUpAt) throw new Error("redis-server does not answer");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function speak(socket: net.Socket): Redis {
  let waiting: ((line: string) => void)[] = [];
  let rest = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\r\n");
    rest = lines.pop() ?? "";
    const answered = waiting.slice(0, lines.length);
    waiting = waiting.slice(lines.length);
    answered.forEach((answer, i) => {
      answer(lines[i] ?? "");
    });
  });
  const take = (line: string) => {
    if (line.startsWith("-")) throw new Error(`Redis said: ${line}`);
    return line.slice(1);
  };
  const expectLine = () => new Promise<string>((resolve) => waiting.push(resolve));
  return {
    async call(...words) {
      const answer = expectLine();
      socket.write(encode(words));
      return take(await answer);
    },
    async pipeline(commands) {
      const answers = commands.map(expectLine);
      socket.write(commands.map(encode).join(""));
      for (const answer of answers) take(await answer);
    },
  };
}

function encode(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;
}
