import type { LoaderFunctionArgs } from "@remix-run/node";
import { campaignAbi } from "../../domain/campaigns/contract";
import { answerText } from "./text.server";

const TEXT = `${JSON.stringify(campaignAbi, null, 2)}\n`;

/** Answers the campaign contract's ABI as JSON. */
export const loader = ({ request }: LoaderFunctionArgs) =>
  answerText(request, TEXT, "application/json; charset=utf-8");
