import { useState } from 'preact/hooks';
import { textOf, type Value } from '#client/wire/json.ts';
import { CheckField, TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import type { Rekeying } from './rekeying.ts';

interface BeginProps {
  readonly rekeying: Rekeying;
  readonly seal: Value;
  readonly onClose: () => void;
}

/** How many new shares there will be. The present ones are asked for afterwards. */
export function BeginRekey({ rekeying: { operations, word }, seal, onClose }: BeginProps) {
  const [shares, setShares] = useState(textOf(seal, 'n'));
  const [needed, setNeeded] = useState(textOf(seal, 't'));
  const [isVerified, setVerified] = useState(true);
  const send = async () => {
    await api.call(
      operations.begin,
      {},
      { secret_shares: Number(shares), secret_threshold: Number(needed), require_verification: isVerified },
    );
    await refresh('rekey');
  };
  return (
    <FormDialog
      title={`Change the ${word}s`}
      verb="Begin"
      fields={['secret_shares', 'secret_threshold']}
      {...{ onClose, send }}
    >
      {(problems) => (
        <>
          <TextField
            label={`New ${word}s`}
            type="number"
            required
            autofocus
            value={shares}
            problem={problems['secret_shares']}
            onValue={setShares}
          />
          <TextField
            label="Of which are needed"
            type="number"
            required
            value={needed}
            problem={problems['secret_threshold']}
            onValue={setNeeded}
          />
          <CheckField
            label="Verify the new ones first"
            hint="They take effect once enough of them were given back. Without it, shares that get lost on their way lock you out."
            value={isVerified}
            onValue={setVerified}
          />
        </>
      )}
    </FormDialog>
  );
}

interface CancelProps {
  readonly rekeying: Rekeying;
  readonly onClose: () => void;
}

export function CancelRekey({ rekeying: { operations, word }, onClose }: CancelProps) {
  const send = async () => {
    await api.call(operations.cancel, {});
    say('ok', `The change is canceled. The present ${word}s stay in force.`);
    await refresh('rekey');
  };
  return (
    <FormDialog
      title={`Cancel the change of the ${word}s?`}
      verb="Cancel the change"
      look="danger"
      {...{ onClose, send }}
    >
      {() => (
        <p>What was given so far is forgotten, new {word}s that wait are void, and the present ones stay in force.</p>
      )}
    </FormDialog>
  );
}
