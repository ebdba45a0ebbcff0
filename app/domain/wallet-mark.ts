/** The sides of the mark's grid in cells; its halves mirror each other. */
const CELLS = 5;

/** A picture of an address, on a square with sides of 7. */
interface WalletMarkDrawing {
  readonly ground: string;
  readonly ink: string;
  /** The cells as the data of an SVG path. */
  readonly path: string;
}

/**
 * Draws a picture of an address, the same one for the same address, so that readers tell wallets
 * apart at a glance. It proves nothing: the address does.
 */
export function drawWalletMark(address: string): WalletMarkDrawing {
  const digits = [...address.slice(2, 42)].map((digit) => Number.parseInt(digit, 16));
  const hue = digits.slice(-3).reduce((sum, digit) => sum * 16 + digit, 0) % 360;
  const isOn = (x: number, y: number) => {
    const column = Math.min(x, CELLS - 1 - x);
    return (
      ((digits[column * CELLS + y] ?? 0) + (digits[(column * CELLS + y + 15) % 40] ?? 0)) % 2 === 1
    );
  };
  const cells = Array.from({ length: CELLS * CELLS }, (_, i) => [i % CELLS, Math.floor(i / CELLS)]);
  return {
    ground: `hsl(${hue}, 55%, 88%)`,
    ink: `hsl(${hue}, 60%, 38%)`,
    path: cells.map(([x = 0, y = 0]) => (isOn(x, y) ? `M${x + 1} ${y + 1}h1v1h-1z` : "")).join(""),
  };
}
