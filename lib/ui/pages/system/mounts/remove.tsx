import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { counted } from '#ui/parts/relative.ts';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import type { MountRow } from './mount.ts';

/** Removes a mount with all its secrets. Its path has to be typed. */
export function RemoveMount({ mount, onClose }: { readonly mount: MountRow; readonly onClose: () => void }) {
  const { path } = mount;
  const [typed, setTyped] = useState('');
  const send = async () => {
    const { warnings } = await api.call(system.removeMount, { path });
    say('ok', [`${path}/ is removed.`, ...warnings].join(' '));
    await Promise.all([refresh('system-mounts'), refresh('system-removals'), refresh('mounts')]);
  };
  return (
    <FormDialog
      title={`Remove ${path}/?`}
      verb="Remove mount"
      look="danger"
      refusal={typed === path ? undefined : 'Type the path of the mount first.'}
      {...{ onClose, send }}
    >
      {() => (
        <>
          <p>All its secrets, with all their versions, are deleted for good.</p>
          <Copies mount={path} />
          <TextField label={`Type ${path} to confirm`} value={typed} onValue={setTyped} />
        </>
      )}
    </FormDialog>
  );
}

/** What becomes of the copies at destinations. */
function Copies({ mount }: { readonly mount: string }) {
  const { reply, failure } = useQuery({
    key: ['system-mount-syncs', mount],
    ask: ({ signal }) => api.call(sync.listRecords, {}, { mount, limit: 1 }, { signal }),
  });
  if (failure !== undefined) return <p>Copies at destinations are removed, too.</p>;
  if (reply === undefined) return <p class="quiet">Counting its syncs …</p>;
  const exact = textOf(reply.data, 'total');
  const total = Number(exact || textOf(reply.data, 'total_at_least') || 0);
  if (total === 0 && memberOf(reply.data, 'total') !== undefined) return <p>None of them is sent to a destination.</p>;
  return (
    <p>
      {exact === '' ? 'At least ' : ''}
      {counted(total, 'sync')} from it {total === 1 ? 'ends' : 'end'}, and the copies at destinations are removed.
    </p>
  );
}
