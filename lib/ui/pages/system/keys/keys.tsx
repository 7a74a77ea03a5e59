import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { SelectField, TextField } from '../../../form/field.tsx';
import { FormDialog } from '../../../form/form-dialog.tsx';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { count, counted } from '../../../parts/relative.ts';
import { Answer } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { say } from '../../../parts/toast.tsx';
import { api } from '../../../state/api.ts';
import { useRights } from '../../../state/rights.ts';
import { pollMs, refresh, useQuery } from '../../../state/use-query.ts';

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

const rotationPath = 'sys/rotate/config';

function Rotation() {
  const [isEditing, setEditing] = useState(false);
  const rights = useRights([rotationPath]);
  const asked = useQuery({
    key: ['rotation'],
    ask: (options) => api.call(system.rotation, {}, undefined, options),
    enabled: rights.may('read', rotationPath),
  });
  if (!rights.may('read', rotationPath)) return null;
  return (
    <Answer asked={asked}>
      {({ data }) => (
        <section class="card narrow" aria-label="Rotation">
          <header>
            <h2>Rotation</h2>
            <Button small refusal={rights.refusal('update', rotationPath)} onPress={() => setEditing(true)}>
              Change
            </Button>
          </header>
          <dl class="facts inside">
            <dt>Automatic</dt>
            <dd>
              {memberOf(data, 'enabled') === true ? (
                <Badge word="On" tone="ok" icon="done" />
              ) : (
                <Badge word="Off" tone="off" icon="dash" />
              )}
            </dd>
            <dt>After</dt>
            <dd class="numbers">{count(Number(textOf(data, 'max_operations')))} values</dd>
            <dt>Or after</dt>
            <dd>{textOf(data, 'interval') === '0' ? 'no time limit' : textOf(data, 'interval')}</dd>
          </dl>
          {isEditing ? <ChangeRotation rotation={data ?? null} onClose={() => setEditing(false)} /> : null}
        </section>
      )}
    </Answer>
  );
}

function ChangeRotation({ rotation, onClose }: { readonly rotation: Value; readonly onClose: () => void }) {
  const [enabled, setEnabled] = useState(String(memberOf(rotation, 'enabled')));
  const [most, setMost] = useState(textOf(rotation, 'max_operations'));
  const [interval, setLongest] = useState(textOf(rotation, 'interval'));
  const send = async () => {
    const fields = { enabled: enabled === 'true', max_operations: Number(most), interval: interval.trim() || '0' };
    await api.call(system.setRotation, {}, fields);
    say('ok', 'The rotation is changed.');
    await refresh('rotation');
  };
  return (
    <FormDialog title="Rotation" verb="Save" fields={['max_operations', 'interval']} {...{ onClose, send }}>
      {(problems) => (
        <>
          <SelectField
            label="Automatic rotation"
            value={enabled}
            options={[
              ['true', 'On'],
              ['false', 'Off, except when the safe limit of a key is reached'],
            ]}
            onValue={setEnabled}
          />
          <TextField
            label="Values for each key"
            type="number"
            value={most}
            problem={problems['max_operations']}
            onValue={setMost}
          />
          <TextField
            label="Longest age of a key"
            hint="Such as 720h, at least 24h. 0 for no limit."
            value={interval}
            problem={problems['interval']}
            onValue={setLongest}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Shares are typed by their holders at the command line; the page shows how far they are. Silent where that cannot be read. */
function Rekey() {
  const { reply } = useQuery({
    key: ['rekey'],
    ask: (options) => api.call(system.rekeyStatus, {}, undefined, options),
    everyMs: pollMs,
  });
  const status = reply?.whole;
  if (memberOf(status, 'started') !== true) return null;
  return (
    <section class="card narrow" aria-label="Change of key shares">
      <header>
        <h2>Change of key shares</h2>
        <Badge word="Under way" tone="wait" icon="clock" />
      </header>
      <dl class="facts inside">
        <dt>Shares given</dt>
        <dd class="numbers">
          <span role="status">
            {textOf(status, 'progress')} of {textOf(status, 'required')}
          </span>
        </dd>
        <dt>New shares</dt>
        <dd class="numbers">
          {textOf(status, 'n')}, of which {textOf(status, 't')} unseal
        </dd>
        <dt>Nonce</dt>
        <dd>
          <code class="wrap">{textOf(status, 'nonce')}</code>
        </dd>
      </dl>
    </section>
  );
}
