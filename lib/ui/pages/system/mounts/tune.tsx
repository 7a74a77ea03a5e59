import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import type { MountRow } from './mount.ts';

/** 0 stands for the lease times of the installation. */
const leaseOf = (settings: Value, name: string): string => {
  const seconds = textOf(settings, 'config', name);
  return seconds === '0' ? '' : seconds;
};

/** Changes the settings of a mount. A KV mount can get versions, and keeps them. */
export function TuneMount({ mount, onClose }: { readonly mount: MountRow; readonly onClose: () => void }) {
  const { path, settings, version } = mount;
  const [description, setDescription] = useState(mount.description);
  const [usual, setUsual] = useState(leaseOf(settings, 'default_lease_ttl'));
  const [most, setMost] = useState(leaseOf(settings, 'max_lease_ttl'));
  const [wanted, setWanted] = useState(version || '1');
  const isUpgradable = mount.type === 'kv' && version !== '2';
  const send = async () => {
    await api.call(
      system.tuneMount,
      { path },
      {
        description,
        default_lease_ttl: usual.trim() === '' ? 'system' : usual.trim(),
        max_lease_ttl: most.trim() === '' ? 'system' : most.trim(),
        ...(isUpgradable && wanted === '2' ? { options: { version: '2' } } : {}),
      },
    );
    say('ok', `The settings of ${path}/ are saved.`);
    await Promise.all([refresh('system-mounts'), refresh('mounts')]);
  };
  return (
    <FormDialog
      title={`Settings of ${path}/`}
      verb="Save"
      fields={['description', 'default_lease_ttl', 'max_lease_ttl']}
      {...{ onClose, send }}
    >
      {(problems) => (
        <>
          <TextField
            label="Description"
            value={description}
            problem={problems['description']}
            onValue={setDescription}
          />
          <TextField
            label="Default lease time"
            hint="Seconds, or such as 12h. Empty for that of the installation."
            value={usual}
            problem={problems['default_lease_ttl']}
            onValue={setUsual}
          />
          <TextField
            label="Longest lease time"
            hint="Seconds, or such as 30d. Empty for that of the installation."
            value={most}
            problem={problems['max_lease_ttl']}
            onValue={setMost}
          />
          {isUpgradable ? (
            <SelectField
              label="Engine"
              hint="An upgrade keeps all secrets and cannot be undone."
              value={wanted}
              options={[
                ['1', 'KV 1, as it is'],
                ['2', 'Upgrade to KV 2'],
              ]}
              onValue={setWanted}
            />
          ) : null}
        </>
      )}
    </FormDialog>
  );
}
