import { useState } from 'preact/hooks';
import { memberOf, textsOf, type Value } from '#client/wire/json.ts';
import { CheckField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { save } from '#ui/parts/file.ts';
import { say } from '#ui/parts/toast.tsx';
import type { Rekeying } from './rekeying.ts';

interface NewSharesProps {
  /** The reply to the last present share. Only this part of the page has it. */
  readonly made: Value;
  readonly rekeying: Rekeying;
  readonly onKept: () => void;
}

/** The new shares, once. The dialog closes when they are kept. */
export function NewShares({ made, rekeying: { word }, onKept }: NewSharesProps) {
  const [isKept, setKept] = useState(false);
  const shares = textsOf(made, 'keys_base64');
  const refusal = isKept ? undefined : `Keep the ${word}s first.`;
  const download = () => {
    const text = shares.map((share, at) => `${word} ${at + 1}: ${share}\n`).join('');
    save('keyferry-keys.txt', new Blob([text], { type: 'text/plain' }));
  };
  return (
    <Dialog title="Keep these now" onClose={() => (refusal === undefined ? onKept() : say('fail', refusal))}>
      <div class="form">
        <p>
          They are not shown again.{' '}
          {memberOf(made, 'verification_required') === true
            ? 'They take effect once enough of them were given back.'
            : 'They are in force, and the earlier ones open nothing any more.'}
        </p>
        <ol class="shares">
          {shares.map((share) => (
            <li key={share}>{share}</li>
          ))}
        </ol>
        <CheckField
          label={`I have kept the ${word}s`}
          hint="Each with another person."
          value={isKept}
          onValue={setKept}
        />
      </div>
      <div class="actions end">
        <Button icon="download" onPress={download}>
          Download
        </Button>
        <Button look="primary" refusal={refusal} onPress={onKept}>
          Go on
        </Button>
      </div>
    </Dialog>
  );
}
