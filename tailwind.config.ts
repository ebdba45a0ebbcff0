import type { Config } from "tailwindcss";

const color = (name: string) => `rgb(var(--color-${name}) / <alpha-value>)`;

export default {
  content: ["./app/**/*.{ts,tsx}"],
  theme: {
    extend: {
      colors: {
        surface: color("surface"),
        raised: color("raised"),
        line: color("line"),
        ink: { DEFAULT: color("ink"), muted: color("ink-muted") },
        accent: color("accent"),
      },
    },
  },
} satisfies Config;
