import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { count } from '#ui/parts/relative.ts';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useOverview } from '#ui/state/overview.ts';
import { useRights } from '#ui/state/rights.ts';
import { pollMs, refresh, useQuery } from '#ui/state/use-query.ts';

const path = 'sys/sync/config';

/** Whether syncs run, and how much the queue holds. */
export function SyncConfig() {
  const asked = useQuery({
    key: ['sync-config'],
    ask: (options) => api.call(sync.readConfig, {}, undefined, options),
    everyMs: pollMs,
  });
  return <Answer asked={asked}>{({ data }) => <Config config={data ?? null} />}</Answer>;
}

function Config({ config }: { readonly config: Value }) {
  const [isEditing, setEditing] = useState(false);
  const [problem, setProblem] = useState('');
  const rights = useRights([path]);
  const refusal = rights.refusal('patch', path);
  const isDisabled = memberOf(config, 'disabled') === true;
  const until = textOf(config, 'disabled_until');
  const capacity = Number(textOf(config, 'queue_capacity'));
  const pending = textOf(useOverview({ isPolled: false }).reply?.data, 'queue', 'pending');
  const toggle = async () => {
    setProblem('');
    await api.call(sync.patchConfig, {}, { disabled: !isDisabled, disabled_until: null }).then(
      () => say('ok', isDisabled ? 'Syncs go on.' : 'Syncs are paused. Changes wait and are not lost.'),
      (cause: unknown) => setProblem(reasonOf(cause, 'That did not work.')),
    );
    await Promise.all([refresh('sync-config'), refresh('overview')]);
  };
  return (
    <section class="card narrow" aria-label="Sync">
      <div class="inside form">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            {isDisabled ? (
              <Badge word="Paused" tone="warn" icon="pause" />
            ) : (
              <Badge word="Running" tone="ok" icon="done" />
            )}
            {until === '' ? null : (
              <span class="quiet">
                {' '}
                goes on <Time at={until} />
              </span>
            )}
          </dd>
          <dt>Queue capacity</dt>
          <dd class="numbers">{count(capacity)} operations</dd>
          {pending === '' ? null : (
            <>
              <dt>Waiting now</dt>
              <dd class="numbers">{count(Number(pending))}</dd>
            </>
          )}
        </dl>
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button icon={isDisabled ? 'play' : 'pause'} refusal={refusal} onPress={toggle}>
            {isDisabled ? 'Resume all syncs' : 'Pause all syncs'}
          </Button>
          <Button refusal={refusal} onPress={() => setEditing(true)}>
            Change capacity
          </Button>
        </div>
      </div>
      {isEditing ? <Capacity capacity={capacity} onClose={() => setEditing(false)} /> : null}
    </section>
  );
}

function Capacity({ capacity, onClose }: { readonly capacity: number; readonly onClose: () => void }) {
  const [typed, setTyped] = useState(String(capacity));
  const send = async () => {
    await api.call(sync.patchConfig, {}, { queue_capacity: Number(typed) });
    say('ok', 'The capacity is changed.');
    await refresh('sync-config');
  };
  return (
    <FormDialog title="Queue capacity" verb="Save" fields={['queue_capacity']} {...{ onClose, send }}>
      {(problems) => (
        <TextField
          label="Operations"
          hint="How many may wait in all namespaces together. A full queue refuses new associations."
          type="number"
          required
          value={typed}
          problem={problems['queue_capacity']}
          onValue={setTyped}
        />
      )}
    </FormDialog>
  );
}
