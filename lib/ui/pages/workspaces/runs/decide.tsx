import { useState } from 'preact/hooks';
import { runs } from '#client/operations/workspaces.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import type { Item } from '../document/items.ts';

interface Decision {
  readonly operation: (typeof runs)['apply' | 'discard' | 'cancel' | 'forceCancel'];
  readonly word: string;
  readonly look: 'primary' | 'danger' | undefined;
  readonly meaning: string;
  readonly done: string;
  /** The action of the run that says whether it can be taken, and the permission that it needs. */
  readonly action: string;
  readonly permission: string;
}

const decisions: readonly Decision[] = [
  {
    operation: runs.discard,
    word: 'Discard',
    look: undefined,
    meaning: 'The plan is dropped, and the next run may begin.',
    done: 'The run is discarded.',
    action: 'is-discardable',
    permission: 'can-discard',
  },
  {
    operation: runs.cancel,
    word: 'Cancel the run',
    look: undefined,
    meaning: 'An agent that works on it stops as soon as it safely can.',
    done: 'The run is asked to end.',
    action: 'is-cancelable',
    permission: 'can-cancel',
  },
  {
    operation: runs.forceCancel,
    word: 'Cancel by force',
    look: 'danger',
    meaning: 'The run ends at once. If its agent still works, resources may change that no state knows of.',
    done: 'The run is canceled.',
    action: 'is-force-cancelable',
    permission: 'can-force-cancel',
  },
  {
    operation: runs.apply,
    word: 'Confirm and apply',
    look: 'primary',
    meaning: 'An agent makes the changes of the plan.',
    done: 'The run is confirmed.',
    action: 'is-confirmable',
    permission: 'can-apply',
  },
];

/** What can be decided about a run in its state. */
export function Decide({ run }: { readonly run: Item }) {
  const [taken, setTaken] = useState<Decision>();
  const possible = decisions.filter(({ action }) => run.is('actions', action));
  if (possible.length === 0) return null;
  return (
    <div class="actions">
      {possible.map((one) => (
        <Button
          key={one.word}
          look={one.look}
          refusal={
            run.is('permissions', one.permission) ? undefined : 'Your rights in this workspace do not let you do this.'
          }
          onPress={() => setTaken(one)}
        >
          {one.word}
        </Button>
      ))}
      {taken === undefined ? null : <Ask run={run} decision={taken} onClose={() => setTaken(undefined)} />}
    </div>
  );
}

interface AskProps {
  readonly run: Item;
  readonly decision: Decision;
  readonly onClose: () => void;
}

function Ask({ run, decision, onClose }: AskProps) {
  const { operation, word, look, meaning, done } = decision;
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState('');
  const decide = async (event: Event) => {
    event.preventDefault();
    try {
      await api.call(operation, { run_id: run.id }, comment === '' ? {} : { comment });
    } catch (cause) {
      setProblem(reasonOf(cause, 'That did not work.'));
      return;
    }
    say('ok', done);
    onClose();
    await Promise.all(['run', 'comments', 'workspace'].map((key) => refresh(key)));
  };
  return (
    <Dialog title={`${word}?`} onClose={onClose}>
      <Form class="form" onSubmit={decide} noValidate>
        <p>{meaning}</p>
        <TextField label="Comment" value={comment} multiline onValue={setComment} />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions end">
          <Button onPress={onClose}>Back</Button>
          <Button type="submit" look={look ?? 'primary'}>
            {word}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
