import { useState } from 'preact/hooks';
import { identity } from '#client/operations/identity.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh } from '#ui/state/use-query.ts';

const path = 'identity/entity/merge';

/** Takes another entity into this one, for a user who has two. */
export function Merge({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const [from, setFrom] = useState('');
  const [problem, setProblem] = useState('');
  const rights = useRights([path]);
  const merge = async () => {
    setProblem('');
    try {
      await api.call(identity.mergeEntities, {}, { from_entity_ids: [from.trim()], to_entity_id: id });
      setOpen(false);
      say('ok', 'The entities are merged.');
      await refresh('entities');
    } catch (cause) {
      setProblem(reasonOf(cause, 'They could not be merged.'));
    }
  };
  return (
    <div class="actions">
      <Button refusal={rights.refusal('update', path)} onPress={() => setOpen(true)}>
        Merge another into it
      </Button>
      {isOpen ? (
        <Dialog title="Merge another entity into this one" onClose={() => setOpen(false)}>
          <div class="form">
            <p>This entity takes over the aliases and tokens of the other one, which is deleted.</p>
            <TextField label="ID of the other entity" value={from} onValue={setFrom} />
            {problem === '' ? null : <Problem text={problem} />}
          </div>
          <div class="actions end">
            <Button onPress={() => setOpen(false)}>Cancel</Button>
            <Button
              look="danger"
              refusal={from.trim() === '' ? 'Type the ID of the other entity first.' : undefined}
              onPress={merge}
            >
              Merge
            </Button>
          </div>
        </Dialog>
      ) : null}
    </div>
  );
}
