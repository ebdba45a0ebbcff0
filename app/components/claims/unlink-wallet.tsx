import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSignMessage } from "wagmi";
import { describeChainError } from "../../domain/campaigns/errors";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { askService, ServiceRefusal } from "./claim-service";

/** Lets the holder of a linked wallet unlink it by a signature. The service says only after it whether the wallet is linked. */
export function UnlinkWallet({
  path,
  address,
  chainId,
}: {
  path: string;
  address: string;
  chainId: number;
}) {
  const sign = useSignMessage();
  const queries = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [answer, setAnswer] = useState<{ readonly failure: string | null } | null>(null);

  const unlink = async () => {
    setIsBusy(true);
    setAnswer(null);
    try {
      const { nonce, message } = await askService<{ nonce: string; message: string }>(path, {
        intent: "ask-unlink",
        address,
        chainId,
      });
      const signature = await sign.mutateAsync({ message });
      await askService(path, { intent: "unlink", address, nonce, signature });
      setAnswer({ failure: null });
      await queries.invalidateQueries({ queryKey: ["look-up"] });
    } catch (error) {
      setAnswer({
        failure: error instanceof ServiceRefusal ? error.text : describeChainError(error),
      });
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <div className="space-y-3 border-line border-t pt-4">
      <p>
        Do the points of the connected wallet count for another one? End that here. What moved there
        stays there.
      </p>
      <Button variant="quiet" size="small" isBusy={isBusy} onClick={() => void unlink()}>
        Unlink the connected wallet
      </Button>
      <div role="status">
        {isBusy && (
          <p className="text-ink-muted">Sign the message in the wallet. It costs nothing.</p>
        )}
        {answer?.failure === null && <p>Done: this wallet earns its own points again.</p>}
      </div>
      {answer?.failure && <Alert>{answer.failure}</Alert>}
    </div>
  );
}
