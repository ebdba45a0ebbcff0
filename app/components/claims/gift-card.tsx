import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, useSignMessage } from "wagmi";
import type { Address as Wallet } from "../../domain/address";
import { describeChainError } from "../../domain/campaigns/errors";
import { REVEAL_MINUTES } from "../../domain/gift-cards/gift-card";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Badge } from "../ui/badge";
import { Button } from "../ui/button";
import { Card } from "../ui/card";
import { Secret } from "../ui/secret";
import { useSafeApp } from "../wallet/safe-app";
import { askService, type GiftCardEntry, ServiceRefusal } from "./claim-service";

type Reveal =
  | { readonly step: "idle" | "asking" | "signing" | "owners" | "revealing" }
  | { readonly step: "failed"; readonly text: string }
  | { readonly step: "shown"; readonly code: string };

const WORDS = {
  asking: "Preparing the message…",
  signing: "Sign the message in the wallet. It costs nothing.",
  owners: `The Safe has to sign first. Its other owners find the message in the Safe and have ${REVEAL_MINUTES} minutes in all.`,
  revealing: "Checking the signature…",
} as const;

/** Shows a gift card: its holder signs, and sees the code. */
export function GiftCard({
  entry,
  address,
  path,
}: {
  entry: GiftCardEntry;
  address: Wallet;
  /** The path of the claim page. */
  path: string;
}) {
  const connection = useConnection();
  const queries = useQueryClient();
  const sign = useSignMessage();
  const safeApp = useSafeApp();
  const [reveal, setReveal] = useState<Reveal>({ step: "idle" });
  const isHolder = connection.address?.toLowerCase() === address;
  const isBusy = reveal.step in WORDS;

  const signIt = async (message: string) => {
    if (!safeApp) return sign.mutateAsync({ message });
    const signal = AbortSignal.timeout(REVEAL_MINUTES * 60_000);
    const onOwners = () => setReveal({ step: "owners" });
    return safeApp.sign(message, { signal, onOwners });
  };
  const show = async () => {
    const card = { cardId: entry.distributionId, address };
    try {
      setReveal({ step: "asking" });
      const { nonce, message } = await askService<{ nonce: string; message: string }>(
        `${path}/gift-card`,
        { intent: "ask", ...card, chainId: connection.chainId ?? 1 },
      );
      setReveal({ step: "signing" });
      const signature = await signIt(message);
      setReveal({ step: "revealing" });
      const { code } = await askService<{ code: string }>(`${path}/gift-card`, {
        intent: "reveal",
        ...card,
        nonce,
        signature,
      });
      setReveal({ step: "shown", code });
      await queries.invalidateQueries({ queryKey: ["look-up"] });
    } catch (error) {
      setReveal({ step: "failed", text: describeFailedReveal(error) });
    }
  };

  return (
    <Card
      heading={entry.campaignName}
      aside={
        <Badge tone={entry.revealed ? "neutral" : "accent"}>
          {entry.revealed ? "Revealed" : "Not revealed yet"}
        </Badge>
      }
    >
      <div className="space-y-4 p-4 text-sm sm:p-5">
        <p className="text-2xl font-semibold tracking-tight">{entry.tierLabel}</p>
        {reveal.step === "shown" ? (
          <Secret
            label="Gift card code"
            value={reveal.code}
            warning="Save it now. It disappears when you leave this page. To see it again, sign again."
          />
        ) : isHolder ? (
          <>
            <p>
              {entry.revealed
                ? "The code was shown before. Sign to see it again."
                : "Sign a message to prove that the wallet is yours. It costs nothing and moves nothing."}
              {safeApp &&
                ` As many of the Safe's owners as for a transaction have to sign it, within ${REVEAL_MINUTES} minutes.`}
            </p>
            <Button isBusy={isBusy} onClick={() => void show()}>
              {entry.revealed ? "Show the code again" : "Reveal the code"}
            </Button>
          </>
        ) : (
          <p>
            {connection.address
              ? "Another wallet is connected. Only the holder can see the code: "
              : "Only the holder can see the code. Connect "}
            <Address address={address} />
          </p>
        )}
        <div role="status">
          {isBusy && <p className="text-ink-muted">{WORDS[reveal.step as keyof typeof WORDS]}</p>}
        </div>
        {reveal.step === "failed" && <Alert>{reveal.text}</Alert>}
      </div>
    </Card>
  );
}

function describeFailedReveal(error: unknown): string {
  if (error instanceof ServiceRefusal) return error.text;
  return error instanceof DOMException && error.name === "TimeoutError"
    ? `The ${REVEAL_MINUTES} minutes are over. Try again when enough of the Safe's owners are available.`
    : describeChainError(error);
}
