import { Link, type LinkProps } from "@remix-run/react";
import { type ButtonSize, type ButtonVariant, getButtonClass } from "./button";

/** Shows a link that looks like a button. */
export function ButtonLink({
  variant,
  size,
  className = "",
  ...link
}: Omit<LinkProps, "className"> & {
  variant?: ButtonVariant;
  size?: ButtonSize;
  className?: string;
}) {
  return <Link {...link} className={`${getButtonClass(variant, size)} ${className}`} />;
}
