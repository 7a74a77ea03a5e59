import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';

/** Mounts an engine for secrets. */
export function EnableMount({ onClose }: { readonly onClose: () => void }) {
  const [path, setPath] = useState('');
  const [version, setVersion] = useState('2');
  const [description, setDescription] = useState('');
  const given = path.trim().replace(/^\/+|\/+$/g, '');
  const send = async () => {
    await api.call(system.enableMount, { path: given }, { type: 'kv', description, options: { version } });
    say('ok', `${given}/ is mounted.`);
    await Promise.all([refresh('system-mounts'), refresh('mounts')]);
  };
  return (
    <FormDialog
      title="New mount"
      verb="Mount"
      refusal={given === '' ? 'The mount needs a path.' : undefined}
      fields={['path', 'description']}
      {...{ onClose, send }}
    >
      {(problems) => (
        <>
          <TextField
            label="Path"
            required
            autofocus
            hint="Such as team-a or apps/web."
            value={path}
            problem={problems['path']}
            onValue={setPath}
          />
          <SelectField
            label="Engine"
            value={version}
            options={[
              ['2', 'KV 2: secrets with versions'],
              ['1', 'KV 1: secrets without versions'],
            ]}
            onValue={setVersion}
          />
          <TextField
            label="Description"
            value={description}
            problem={problems['description']}
            onValue={setDescription}
          />
        </>
      )}
    </FormDialog>
  );
}
