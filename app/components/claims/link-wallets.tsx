import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Hex } from "viem";
import { useConnection, useSignMessage } from "wagmi";
import { describeChainError } from "../../domain/campaigns/errors";
import { LINK_MINUTES } from "../../domain/wallet-links/wallet-link";
import { Address } from "../ui/address";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { Card } from "../ui/card";
import { askService, ServiceRefusal } from "./claim-service";
import { UnlinkWallet } from "./unlink-wallet";

interface Messages {
  readonly nonce: string;
  readonly message: string;
  readonly primaryMessage: string;
}

type Step =
  | { readonly name: "closed" | "choosing" }
  /** The primary wallet is chosen, and the other one is to be connected. */
  | { readonly name: "chosen"; readonly primary: string }
  /** The other wallet has signed, and the primary one is to sign. */
  | {
      readonly name: "half-signed";
      readonly primary: string;
      readonly other: string;
      readonly signature: Hex;
      readonly messages: Messages;
    }
  | { readonly name: "linked"; readonly primary: string; readonly other: string };

/** Lets a holder count another wallet's points together with the connected one's: both wallets sign. */
export function LinkWallets({ path }: { path: string }) {
  const { address, chainId = 1 } = useConnection();
  const sign = useSignMessage();
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>({ name: "closed" });
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const connected = address?.toLowerCase();

  const run = async (work: () => Promise<void>) => {
    setIsBusy(true);
    setFailure(null);
    try {
      await work();
    } catch (error) {
      setFailure(error instanceof ServiceRefusal ? error.text : describeChainError(error));
      // The nonce is used up once the service has refused both signatures.
      if (error instanceof ServiceRefusal && step.name === "half-signed") {
        setStep({ name: "chosen", primary: step.primary });
      }
    } finally {
      setIsBusy(false);
    }
  };
  const signOther = (primary: string, other: string) =>
    run(async () => {
      const messages = await askService<Messages>(`${path}/link-wallets`, {
        intent: "ask",
        address: other,
        primaryAddress: primary,
        chainId,
      });
      const signature = await sign.mutateAsync({ message: messages.message });
      setStep({ name: "half-signed", primary, other, signature, messages });
    });
  const signPrimary = (half: Extract<Step, { name: "half-signed" }>) =>
    run(async () => {
      const { primary, other, signature, messages } = half;
      const primarySignature = await sign.mutateAsync({ message: messages.primaryMessage });
      await askService(`${path}/link-wallets`, {
        intent: "link",
        address: other,
        primaryAddress: primary,
        nonce: messages.nonce,
        signature,
        primarySignature,
      });
      setStep({ name: "linked", primary, other });
      await queries.invalidateQueries({ queryKey: ["look-up"] });
    });

  if (step.name === "closed") {
    if (!connected) return null;
    return (
      <p className="text-sm">
        <Button variant="quiet" size="small" onClick={() => setStep({ name: "choosing" })}>
          Count another wallet's points together
        </Button>
      </p>
    );
  }
  return (
    <Card heading="Count another wallet's points together">
      <div className="space-y-4 p-4 text-sm sm:p-5">
        {step.name === "choosing" && (
          <>
            <p>
              The other wallet's points move to the wallet that you choose now, and so do the points
              that it earns later. They do not move back. Its rewards so far stay its own.
            </p>
            {connected ? (
              <Button onClick={() => setStep({ name: "chosen", primary: connected })}>
                Collect the points in the connected wallet
              </Button>
            ) : (
              <p>Connect the wallet that is to have the points.</p>
            )}
            {connected && (
              <UnlinkWallet
                key={connected}
                path={`${path}/link-wallets`}
                address={connected}
                chainId={chainId}
              />
            )}
          </>
        )}
        {step.name === "chosen" && (
          <>
            <p>
              The points come together in <Address address={step.primary} />.
            </p>
            {connected && connected !== step.primary ? (
              <Button isBusy={isBusy} onClick={() => void signOther(step.primary, connected)}>
                Sign with this other wallet
              </Button>
            ) : (
              <p>Now disconnect it above, and connect the other wallet.</p>
            )}
          </>
        )}
        {step.name === "half-signed" && (
          <>
            <p>
              <Address address={step.other} /> has signed. Within {LINK_MINUTES} minutes,{" "}
              <Address address={step.primary} /> has to sign too.
            </p>
            {connected === step.primary ? (
              <Button isBusy={isBusy} onClick={() => void signPrimary(step)}>
                Sign and count together
              </Button>
            ) : (
              <p>Connect it again above.</p>
            )}
          </>
        )}
        <div role="status">
          {isBusy && (
            <p className="text-ink-muted">Sign the message in the wallet. It costs nothing.</p>
          )}
          {step.name === "linked" && (
            <p>
              Done: the points of <Address address={step.other} /> now count for{" "}
              <Address address={step.primary} />.
            </p>
          )}
        </div>
        {failure && <Alert>{failure}</Alert>}
        {step.name !== "linked" && (
          <Button
            variant="quiet"
            size="small"
            onClick={() => {
              setFailure(null);
              setStep({ name: "closed" });
            }}
          >
            Cancel
          </Button>
        )}
      </div>
    </Card>
  );
}
