import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import type { MountRow } from './mount.ts';

/** Moves a mount with all that it has. */
export function MoveMount({ mount: { path }, onClose }: { readonly mount: MountRow; readonly onClose: () => void }) {
  const [to, setTo] = useState(path);
  const given = to.trim().replace(/^\/+|\/+$/g, '');
  const send = async () => {
    const { warnings } = await api.call(system.moveMount, {}, { from: `${path}/`, to: `${given}/` });
    // The first warning is for clients that wait for the move, which is complete.
    const told = warnings.slice(1).join(' ');
    say(told === '' ? 'ok' : 'fail', `${path}/ is now ${given}/. ${told}`.trim());
    await Promise.all([refresh('system-mounts'), refresh('mounts')]);
  };
  return (
    <FormDialog
      title={`Move ${path}/`}
      verb="Move"
      refusal={given === '' || given === path ? 'Type another path.' : undefined}
      fields={['to']}
      {...{ onClose, send }}
    >
      {(problems) => (
        <>
          <p>Policies, rules and clients that name the old path have to be changed as well.</p>
          <TextField label="New path" required autofocus value={to} problem={problems['to']} onValue={setTo} />
        </>
      )}
    </FormDialog>
  );
}
