import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { findGate } from '#ui/state/session.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';

/** How the service is sealed, and the way to seal it. */
export function Seal() {
  const [isSealing, setSealing] = useState(false);
  const rights = useRights(['sys/seal']);
  const asked = useQuery({
    key: ['seal'],
    ask: (options) => api.call(system.sealStatus, {}, undefined, options),
    everyMs: pollMs,
  });
  return (
    <Answer asked={asked}>
      {({ whole = null }) => (
        <>
          <section class="card narrow" aria-label="Seal">
            <div class="inside form">
              <Facts status={whole} />
              <div class="actions">
                <Button look="danger" icon="lock" refusal={sealRefusal(rights)} onPress={() => setSealing(true)}>
                  Seal
                </Button>
              </div>
            </div>
          </section>
          {isSealing ? <SealNow status={whole} onClose={() => setSealing(false)} /> : null}
        </>
      )}
    </Answer>
  );
}

const sealRefusal = (rights: ReturnType<typeof useRights>): string | undefined =>
  rights.refusal('update', 'sys/seal') ?? rights.refusal('sudo', 'sys/seal');

const isShared = (status: Value): boolean => textOf(status, 'type') === 'shamir';

function Facts({ status }: { readonly status: Value }) {
  const [shares, needed] = [textOf(status, 'n'), textOf(status, 't')];
  const cluster = textOf(status, 'cluster_name');
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        {memberOf(status, 'sealed') === true ? (
          <Badge word="Sealed" tone="fail" icon="lock" />
        ) : (
          <Badge word="Unsealed" tone="ok" icon="done" />
        )}
      </dd>
      <dt>Type</dt>
      <dd>{isShared(status) ? 'Key shares' : `Automatic (${textOf(status, 'type')})`}</dd>
      <dt>{isShared(status) ? 'Key shares' : 'Recovery shares'}</dt>
      <dd class="numbers">{shares === '0' ? 'none' : `${needed} of ${shares} are needed`}</dd>
      {cluster === '' ? null : (
        <>
          <dt>Cluster</dt>
          <dd class="wrap">{cluster}</dd>
        </>
      )}
    </dl>
  );
}

const word = 'seal';

function SealNow({ status, onClose }: { readonly status: Value; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const send = async () => {
    await api.call(system.seal, {});
    await findGate();
  };
  return (
    <FormDialog
      title="Seal the service?"
      verb="Seal"
      look="danger"
      refusal={typed === word ? undefined : `Type ${word} first.`}
      {...{ onClose, send }}
    >
      {() => (
        <>
          <p>
            Every process forgets its keys and refuses all requests, in all namespaces. Syncs stop.{' '}
            {isShared(status)
              ? `${textOf(status, 't')} key shares open each process again.`
              : 'Each process opens again when it is restarted.'}
          </p>
          <TextField label={`Type ${word} to confirm`} value={typed} onValue={setTyped} />
        </>
      )}
    </FormDialog>
  );
}
