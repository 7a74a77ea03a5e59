import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { count } from '#ui/parts/relative.ts';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';

const rotationPath = 'sys/rotate/config';

/** When a new key is added without being asked for. */
export function Rotation() {
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
