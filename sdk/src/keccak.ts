const MASK = (1n << 64n) - 1n;
/** Bytes that one permutation takes in: 1,600 bits less twice the hash's 256. */
const RATE = 136;

const rotate = (lane: bigint, by: bigint) => ((lane << by) | (lane >> (64n - by))) & MASK;

/** Hashes bytes by Keccak-256 as Ethereum does: not SHA3-256, which pads otherwise. */
export function keccak256(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array((Math.floor(input.length / RATE) + 1) * RATE);
  padded.set(input);
  padded[input.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  const words = new DataView(padded.buffer);
  const state = new BigUint64Array(25);
  for (let at = 0; at < padded.length; at += RATE) {
    for (let lane = 0; lane < RATE / 8; lane += 1) {
      state[lane] = (state[lane] as bigint) ^ words.getBigUint64(at + lane * 8, true);
    }
    permute(state);
  }
  const output = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1)
    output.setBigUint64(lane * 8, state[lane] as bigint, true);
  return new Uint8Array(output.buffer);
}

/** Permutes the state by Keccak-f[1600] (FIPS 202, 3.3). The lane at x, y is `state[x + 5 * y]`. */
function permute(state: BigUint64Array): void {
  const at = (lane: number) => state[lane] as bigint;
  let register = 1n;
  for (let round = 0; round < 24; round += 1) {
    // Theta.
    const parity = [0, 1, 2, 3, 4].map(
      (x) => at(x) ^ at(x + 5) ^ at(x + 10) ^ at(x + 15) ^ at(x + 20),
    ) as [bigint, bigint, bigint, bigint, bigint];
    for (let lane = 0; lane < 25; lane += 1) {
      const before = parity[(lane + 4) % 5] as bigint;
      state[lane] = at(lane) ^ before ^ rotate(parity[(lane + 1) % 5] as bigint, 1n);
    }
    // Rho and pi, along the one cycle of the 24 lanes that move.
    let [x, y, moved] = [1, 0, at(1)];
    for (let step = 1; step <= 24; step += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const lane = x + 5 * y;
      const next = at(lane);
      state[lane] = rotate(moved, BigInt(((step * (step + 1)) / 2) % 64));
      moved = next;
    }
    // Chi.
    for (let row = 0; row < 25; row += 5) {
      const lanes = [0, 1, 2, 3, 4].map((place) => at(row + place));
      for (let place = 0; place < 5; place += 1) {
        const [lane, next, last] = [0, 1, 2].map((by) => lanes[(place + by) % 5]) as [
          bigint,
          bigint,
          bigint,
        ];
        state[row + place] = lane ^ (~next & MASK & last);
      }
    }
    // Iota: the round's constant comes from a linear-feedback shift register, a bit for each 2^n - 1.
    for (let power = 0n; power < 7n; power += 1n) {
      if (register & 1n) state[0] = at(0) ^ (1n << ((1n << power) - 1n));
      register = register & 0x80n ? ((register << 1n) ^ 0x171n) & 0xffn : register << 1n;
    }
  }
}
