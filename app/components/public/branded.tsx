import type { CSSProperties, ReactNode } from "react";
import type { AccentShades } from "../../domain/point-systems/brand";

interface Brand {
  readonly name: string;
  readonly accent: Readonly<Record<"light" | "dark", AccentShades>> | null;
}

/**
 * Shows a public page in its point system's colour; app/tailwind.css chooses the theme's shades.
 */
export function Branded({ brand: { accent }, children }: { brand: Brand; children: ReactNode }) {
  if (!accent) return <>{children}</>;
  const toVariables = (theme: "light" | "dark") => ({
    [`--brand-${theme}-accent`]: accent[theme].accent,
    [`--brand-${theme}-strong`]: accent[theme].strong,
    [`--brand-${theme}-on`]: accent[theme].onAccent,
  });
  const style = { ...toVariables("light"), ...toVariables("dark") } as CSSProperties;
  return (
    <div className="branded" style={style}>
      {children}
    </div>
  );
}
