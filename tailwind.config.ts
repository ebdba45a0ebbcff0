import type { Config } from "tailwindcss";

const color = (name: string) => `rgb(var(--color-${name}) / <alpha-value>)`;

export default {
  content: ["./app/**/*.{ts,tsx}"],
  theme: {
    extend: {
      colors: {
        surface: color("surface"),
        raised: color("raised"),
        sunken: color("sunken"),
        line: color("line"),
        field: color("field"),
        ink: { DEFAULT: color("ink"), muted: color("ink-muted") },
        accent: { DEFAULT: color("accent"), strong: color("accent-strong") },
        "on-accent": color("on-accent"),
        danger: { DEFAULT: color("danger"), strong: color("danger-strong") },
        "on-danger": color("on-danger"),
        success: color("success"),
      },
      keyframes: { flash: { from: { opacity: "1" }, to: { opacity: "0" } } },
      animation: { flash: "flash 1.6s ease-out" },
    },
  },
} satisfies Config;
