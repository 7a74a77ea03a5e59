import { useState } from 'preact/hooks';
import { workspaces } from '#client/operations/workspaces.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import type { Item } from '../document/items.ts';
import { refusalIn } from '../document/words.ts';

type Step = 'lock' | 'force';

/** Locks a workspace with a reason, and unlocks it; by force where another holds the lock. */
export function Lock({ workspace }: { readonly workspace: Item }) {
  const [step, setStep] = useState<Step>();
  const unlock = async () => {
    await api.call(workspaces.unlock, { workspace_id: workspace.id }).then(
      () => say('ok', 'The workspace is unlocked.'),
      (cause: unknown) => say('fail', reasonOf(cause, 'It could not be unlocked.')),
    );
    await refresh('workspace');
  };
  return (
    <>
      {workspace.is('locked') ? (
        <>
          <Button refusal={refusalIn(workspace, 'can-force-unlock')} onPress={() => setStep('force')}>
            Unlock by force
          </Button>
          <Button refusal={refusalIn(workspace, 'can-lock') ?? heldByRun(workspace)} onPress={unlock}>
            Unlock
          </Button>
        </>
      ) : (
        <Button icon="lock" refusal={refusalIn(workspace, 'can-lock')} onPress={() => setStep('lock')}>
          Lock
        </Button>
      )}
      {step === 'lock' ? <LockIt workspace={workspace} onClose={() => setStep(undefined)} /> : null}
      {step === 'force' ? <ForceIt workspace={workspace} onClose={() => setStep(undefined)} /> : null}
    </>
  );
}

/** A run gives its lock back by itself. */
const heldByRun = (workspace: Item): string | undefined =>
  workspace.included('locked-by')?.type === 'runs' ? 'A run holds the lock until it ends.' : undefined;

interface StepProps {
  readonly workspace: Item;
  readonly onClose: () => void;
}

function LockIt({ workspace, onClose }: StepProps) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const lock = async (event: Event) => {
    event.preventDefault();
    try {
      await api.call(workspaces.lock, { workspace_id: workspace.id }, { reason });
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be locked.'));
      return;
    }
    say('ok', 'The workspace is locked.');
    onClose();
    await refresh('workspace');
  };
  return (
    <Dialog title={`Lock ${workspace.text('name')}`} onClose={onClose}>
      <Form class="form" onSubmit={lock} noValidate>
        <p>No run starts and no state is written until it is unlocked.</p>
        <TextField label="Reason" hint="Shown to those who find it locked." value={reason} onValue={setReason} />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions end">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Lock
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function ForceIt({ workspace, onClose }: StepProps) {
  const [problem, setProblem] = useState('');
  const force = async () => {
    try {
      await api.call(workspaces.forceUnlock, { workspace_id: workspace.id });
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be unlocked.'));
      return;
    }
    say('ok', 'The workspace is unlocked.');
    onClose();
    await refresh('workspace');
  };
  return (
    <Dialog title={`Unlock ${workspace.text('name')} by force?`} onClose={onClose}>
      <p>
        {holderOf(workspace)} holds the lock. A state that its holder is still sending is discarded, so make sure that
        nothing works on this workspace.
      </p>
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" onPress={force}>
          Unlock by force
        </Button>
      </div>
    </Dialog>
  );
}

/** Who holds the lock of a workspace. */
export function holderOf(workspace: Item): string {
  const holder = workspace.included('locked-by');
  if (holder === undefined) return workspace.related('locked-by') || 'Someone';
  if (holder.type === 'runs') return `The run ${holder.id}`;
  if (holder.type === 'teams') return `The team ${holder.text('name')}`;
  return holder.text('username') || holder.id;
}
