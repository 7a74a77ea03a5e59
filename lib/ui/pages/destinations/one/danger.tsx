import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Problem } from '#ui/parts/problem.tsx';
import { counted } from '#ui/parts/relative.ts';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh } from '#ui/state/use-query.ts';

interface DangerProps {
  readonly type: string;
  readonly name: string;
  readonly stored: Value;
}

/** Removes the destination, with its copies or without. The name has to be typed. */
export function Danger({ type, name, stored }: DangerProps) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const path = `sys/sync/destinations/${type}/${name}`;
  const rights = useRights([path]);
  const refusal =
    rights.refusal('delete', path) ?? (typed === name ? undefined : 'Type the name of the destination first.');
  const remove = async (fields: { readonly purge?: boolean; readonly force_delete?: boolean }) => {
    setProblem('');
    try {
      await api.call(sync.deleteDestination, { type, name }, fields);
      await Promise.all([refresh('overview'), refresh('destination')]);
      say('ok', fields.purge === true ? 'Its copies are being removed, then the destination.' : `${name} is deleted.`);
      route('/ui/destinations');
    } catch (cause) {
      setProblem(cause instanceof CallFailure ? cause.message : 'It could not be deleted.');
    }
  };
  const total = Number(textOf(stored, 'total') || 0);
  return (
    <section class="card narrow" aria-label="Remove the destination">
      <div class="inside form">
        <h2>Remove the destination</h2>
        {memberOf(stored, 'purge_initiated_at') === undefined ? null : <p>Its copies are being removed.</p>}
        <p>
          A purge first removes every copy at the external system. Deleting leaves the copies there, and Keyferry
          forgets them.
          {total === 0 ? '' : ` ${counted(total, 'record belongs', 'records belong')} to it.`}
        </p>
        <TextField label={`Type ${name} to confirm`} value={typed} onValue={setTyped} />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button look="danger" refusal={refusal} onPress={() => remove({ purge: true })}>
            Purge and delete
          </Button>
          <Button refusal={refusal} onPress={() => remove({ force_delete: true })}>
            Delete, leave the copies
          </Button>
        </div>
      </div>
    </section>
  );
}
