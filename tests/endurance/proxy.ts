import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random";

/** A way in which a network fails. */
export const NETWORK_FAULTS = ["cut", "delay", "halve", "hang"] as const;
type NetworkFault = (typeof NETWORK_FAULTS)[number];

/** The end of a proxy: a port of this machine, or a socket's file. */
export type Target = { readonly port: number } | { readonly path: string };

/** A TCP proxy that can be told to fail as networks do. */
export interface Proxy {
  readonly port: number;
  /** Leads new connections elsewhere. */
  readonly lead: (target: Target) => void;
  /**
   * Fails for a time. `cut` ends all connections; `delay` holds each piece back for up to a second and a half; `halve`
   * sends half of the next pieces and ends their connections; `hang` sends nothing, and ends what hung.
   */
  readonly fail: (fault: NetworkFault, forMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const DELAY_MS_MAX = 1_500;

/** Starts a proxy on a free port. */
export async function startProxy(random: Random, first: Target): Promise<Proxy> {
  let target = first;
  let fault: NetworkFault | null = null;
  const pairs = new Set<() => void>();
  const server = net.createServer((caller) => {
    const service = net.connect({ ...target } as net.NetConnectOpts);
    const end = () => {
      pairs.delete(end);
      caller.destroy();
      service.destroy();
    };
    pairs.add(end);
    /** TCP leaves nothing out: after half of a piece comes only the end. */
    let isHalved = false;
    const forward = (from: net.Socket, to: net.Socket) => {
      // One piece after the other, so that a delay keeps their order.
      let before = Promise.resolve();
      from.on("data", (piece) => {
        if (fault === "hang") return from.pause();
        if (isHalved) return;
        if (fault === "halve") {
          isHalved = true;
          to.write(piece.subarray(0, piece.length >> 1), end);
          return;
        }
        const waitMs = fault === "delay" ? random.between(0, DELAY_MS_MAX) : 0;
        const write = () => void (to.writable && to.write(piece));
        before = waitMs > 0 ? before.then(() => sleep(waitMs)).then(write) : before.then(write);
      });
      from.on("end", () => void before.then(() => to.end()));
      from.on("error", end).on("close", () => void before.then(() => setTimeout(end, 100)));
    };
    forward(caller, service);
    forward(service, caller);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cutAll = () => {
    for (const end of [...pairs]) end();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    lead(next) {
      target = next;
    },
    async fail(next, forMs) {
      if (next === "cut") return cutAll();
      fault = next;
      await sleep(forMs);
      fault = null;
      if (next === "hang") cutAll();
    },
    async close() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
