import { useState } from 'preact/hooks';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { encodedPath } from '../address.ts';

interface RemoveProps {
  /** What is deleted, such as `policy`. */
  readonly noun: string;
  readonly name: string;
  /** Below `/v1/`. */
  readonly path: string;
  readonly verb?: string;
  /** Why no caller can delete it. */
  readonly refusal?: string | undefined;
  /** What else ends with it. */
  readonly consequence: string;
  readonly onDone: () => unknown;
}

/** A button that deletes something after its name was typed. */
export function Remove(props: RemoveProps) {
  const { noun, path, refusal, verb = 'Delete' } = props;
  const [isOpen, setOpen] = useState(false);
  const rights = useRights([path]);
  return (
    <>
      <Button refusal={refusal ?? rights.refusal('delete', path)} onPress={() => setOpen(true)}>
        {verb}
      </Button>
      {isOpen ? <Confirm {...props} verb={verb} title={`${verb} the ${noun}`} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Confirm({
  name,
  path,
  verb,
  title,
  consequence,
  onDone,
  onClose,
}: RemoveProps & { readonly title: string; readonly verb: string; readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const remove = async () => {
    setProblem('');
    try {
      await api.ask({ method: 'DELETE', path: `v1/${encodedPath(path)}` });
      await onDone();
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be deleted.'));
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <p>{consequence}</p>
        <TextField label={`Type ${name} to confirm`} value={typed} onValue={setTyped} />
        {problem === '' ? null : <Problem text={problem} />}
      </div>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" refusal={typed === name ? undefined : 'Type the name first.'} onPress={remove}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
