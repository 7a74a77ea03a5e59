import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { asValue } from '#ui/form/shape.ts';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';

/** What each type needs, and how the field is called. */
const targets: Readonly<Record<string, readonly [option: string, label: string, hint: string]>> = {
  file: ['file_path', 'File', 'An absolute path, or stdout.'],
  socket: ['address', 'Address', 'host:port, or the path of a Unix socket.'],
  http: ['uri', 'Address', 'An https address that takes the lines.'],
};

/** Enables a device once it has recorded a test line. */
export function EnableAudit({ onClose }: { readonly onClose: () => void }) {
  const [type, setType] = useState('file');
  const [path, setPath] = useState('file');
  const [target, setTarget] = useState('');
  const [more, setMore] = useState('');
  const [option = '', label = '', hint = ''] = targets[type] ?? [];
  const given = path.trim().replace(/^\/+|\/+$/g, '');
  const send = async () => {
    const made = asValue({ type: 'object' }, more);
    if ('problem' in made) throw new Error(made.problem);
    const options = { ...(made.value as Readonly<Record<string, string>>), [option]: target.trim() };
    await api.call(system.enableAudit, { path: given }, { type, options });
    say('ok', `${given}/ records from now on.`);
    await refresh('audit');
  };
  return (
    <FormDialog
      title="New audit device"
      verb="Enable"
      refusal={given === '' ? 'The device needs a name.' : undefined}
      fields={['path', 'options']}
      {...{ onClose, send }}
    >
      {(problems) => (
        <>
          <SelectField
            label="Type"
            value={type}
            options={[
              ['file', 'File'],
              ['socket', 'Socket'],
              ['http', 'HTTP'],
            ]}
            onValue={(chosen) => {
              setType(chosen);
              if (path === type) setPath(chosen);
            }}
          />
          <TextField label="Name" required value={path} problem={problems['path']} onValue={setPath} />
          <TextField {...{ label, hint }} required value={target} problem={problems['options']} onValue={setTarget} />
          <details>
            <summary>More options</summary>
            <TextField
              label="Options"
              hint="One key=value in a line, such as log_raw=true."
              multiline
              value={more}
              onValue={setMore}
            />
          </details>
        </>
      )}
    </FormDialog>
  );
}
