import type { Config } from "tailwindcss";
import defaultTheme from "tailwindcss/defaultTheme";

const color = (name: string) => `rgb(var(--color-${name}) / <alpha-value>)`;

export default {
  content: ["./app/**/*.{ts,tsx}"],
  theme: {
    extend: {
      fontFamily: {
        sans: ['"Inter Variable"', '"Inter Fallback"', ...defaultTheme.fontFamily.sans],
      },
      colors: {
        surface: color("surface"),
        raised: color("raised"),
        sunken: color("sunken"),
        line: color("line"),
        field: color("field"),
        ink: { DEFAULT: color("ink"), muted: color("ink-muted") },
        accent: color("accent"),
        fill: { DEFAULT: color("fill"), strong: color("fill-strong") },
        "on-fill": color("on-fill"),
        danger: { DEFAULT: color("danger"), strong: color("danger-strong") },
        "on-danger": color("on-danger"),
        success: color("success"),
        warning: color("warning"),
        "chart-2": color("chart-2"),
      },
      keyframes: { flash: { from: { opacity: "1" }, to: { opacity: "0" } } },
      animation: { flash: "flash 1.6s ease-out" },
    },
  },
} satisfies Config;
