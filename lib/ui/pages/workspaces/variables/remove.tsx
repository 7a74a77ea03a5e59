import { useState } from 'preact/hooks';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { refresh } from '#ui/state/use-query.ts';
import type { Item } from '../document/items.ts';
import type { Owner } from './owner.ts';

interface RemoveProps {
  readonly owner: Owner;
  readonly variable: Item;
  readonly onClose: () => void;
}

export function Remove({ owner, variable, onClose }: RemoveProps) {
  const [problem, setProblem] = useState('');
  const key = variable.text('key');
  const remove = async () => {
    try {
      await owner.remove(variable.id);
    } catch (cause) {
      return setProblem(reasonOf(cause, 'It could not be deleted.'));
    }
    say('ok', `${key} is deleted.`);
    onClose();
    await refresh(...owner.key);
  };
  return (
    <Dialog title={`Delete ${key}?`} onClose={onClose}>
      <p>Runs from now on do not get it. Its value cannot be restored.</p>
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" onPress={remove}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
