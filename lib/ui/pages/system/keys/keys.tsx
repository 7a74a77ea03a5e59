import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Button } from '#ui/parts/button.tsx';
import { counted } from '#ui/parts/relative.ts';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { Rekey } from './rekey.tsx';
import { Rotation } from './rotation.tsx';

/** The keys that encrypt what is stored, when they change, and a change of key shares that is under way. */
export function Keys() {
  const key = useQuery({
    key: ['key-status'],
    ask: (options) => api.call(system.keyStatus, {}, undefined, options),
  });
  return (
    <>
      <Answer asked={key}>{({ data }) => <Encryption status={data ?? null} />}</Answer>
      <Rotation />
      <Rekey />
    </>
  );
}

function Encryption({ status }: { readonly status: Value }) {
  const [isRotating, setRotating] = useState(false);
  const rights = useRights(['sys/rotate']);
  return (
    <section class="card narrow" aria-label="Encryption key">
      <header>
        <h2>Encryption key</h2>
        <Button small icon="spin" refusal={rights.refusal('sudo', 'sys/rotate')} onPress={() => setRotating(true)}>
          Rotate now
        </Button>
      </header>
      <dl class="facts inside">
        <dt>Term</dt>
        <dd class="numbers">{textOf(status, 'term')}</dd>
        <dt>In use</dt>
        <dd>
          since <Time at={textOf(status, 'install_time')} />
        </dd>
        <dt>Encrypted with it</dt>
        <dd class="numbers">about {counted(Number(textOf(status, 'encryptions') || 0), 'value')}</dd>
      </dl>
      {isRotating ? <Rotate onClose={() => setRotating(false)} /> : null}
    </section>
  );
}

function Rotate({ onClose }: { readonly onClose: () => void }) {
  const send = async () => {
    await api.call(system.rotate, {}, undefined);
    say('ok', 'New values are encrypted with a new key.');
    await refresh('key-status');
  };
  return (
    <FormDialog title="Rotate the encryption key?" verb="Rotate" {...{ onClose, send }}>
      {() => <p>A new key encrypts new values. What is stored stays readable, and key shares do not change.</p>}
    </FormDialog>
  );
}
