import type { CSSProperties, ReactNode } from "react";
import type { BrandColors } from "../../domain/point-systems/brand";

interface Brand {
  readonly name: string;
  readonly accent: BrandColors | null;
}

/**
 * Shows a public page in its point system's colour; app/tailwind.css chooses the theme's shades.
 */
export function Branded({ brand: { accent }, children }: { brand: Brand; children: ReactNode }) {
  if (!accent) return <>{children}</>;
  const style = {
    "--brand-light-accent": accent.text.light,
    "--brand-dark-accent": accent.text.dark,
    "--brand-fill": accent.fill,
    "--brand-fill-strong": accent.fillStrong,
    "--brand-on-fill": accent.onFill,
  } as CSSProperties;
  return (
    <div className="branded" style={style}>
      {children}
    </div>
  );
}
