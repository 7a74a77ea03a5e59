import { useState } from 'preact/hooks';
import { kv1, kv2 } from '#client/operations/kv.ts';
import { textOf, textsOf, type Value } from '#client/wire/json.ts';
import { SelectField, TextField } from '../../form/field.tsx';
import { StatusBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { counted } from '../../parts/relative.ts';
import { Answer } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { refresh, useQuery } from '../../state/use-query.ts';
import { listIn } from '../../table/pages.ts';
import { folderOf, type SecretMount } from './address.ts';

interface RemoveProps {
  readonly mount: SecretMount;
  readonly path: string;
  readonly onClose: () => void;
  readonly onGone: () => void;
}

type Extent = 'current' | 'all';

/** Deletes a secret, after it was shown what becomes of its copies. */
export function Remove({ mount, path, onClose, onGone }: RemoveProps) {
  const [extent, setExtent] = useState<Extent>(mount.hasVersions ? 'current' : 'all');
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const name = path.slice(folderOf(path).length);
  const at = mount.hasVersions
    ? `${mount.path}/${extent === 'all' ? 'metadata' : 'data'}/${path}`
    : `${mount.path}/${path}`;
  const rights = useRights([at]);
  const refusal =
    rights.refusal('delete', at) ??
    (extent === 'all' && typed !== name ? 'Type the name of the secret first.' : undefined);
  const remove = async () => {
    const operation = !mount.hasVersions ? kv1.delete : extent === 'all' ? kv2.deleteAll : kv2.deleteLatest;
    try {
      await api.call(operation, { mount: mount.path, path });
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be deleted.'));
      return;
    }
    say(
      'ok',
      extent === 'all' ? `${name} is deleted.` : `The current version of ${name} is deleted. It can be restored.`,
    );
    if (extent === 'all') onGone();
    else onClose();
    await Promise.all(['secret', 'secrets', 'keys', 'records'].map((key) => refresh(key)));
  };
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <div class="form">
        {mount.hasVersions ? (
          <SelectField
            label="What"
            value={extent}
            options={[
              ['current', 'The current version, which can be restored'],
              ['all', 'All versions, for good'],
            ]}
            onValue={(value) => setExtent(value === 'all' ? 'all' : 'current')}
          />
        ) : null}
        {mount.hasVersions ? <Plan key={extent} mount={mount} path={path} extent={extent} /> : null}
        {extent === 'all' ? <TextField label={`Type ${name} to confirm`} value={typed} onValue={setTyped} /> : null}
        {problem === '' ? null : <Problem text={problem} />}
      </div>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" refusal={refusal} onPress={remove}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}

type PlanProps = Pick<RemoveProps, 'mount' | 'path'> & { readonly extent: Extent };

function Plan({ mount, path, extent }: PlanProps) {
  const asked = useQuery({
    key: ['deletion', mount.path, path, extent],
    ask: (options) =>
      api.call(
        extent === 'all' ? kv2.deleteAll : kv2.deleteLatest,
        { mount: mount.path, path },
        { plan: true },
        { signal: options.signal },
      ),
  });
  return <Answer asked={asked}>{({ data }) => <PlanText plan={data ?? null} />}</Answer>;
}

function PlanText({ plan }: { readonly plan: Value }) {
  const copies = listIn(plan, 'copies');
  const hidden = Number(textOf(plan, 'hidden') || 0);
  const total = Number(textOf(plan, 'total') || 0);
  const what: Readonly<Record<string, string>> = {
    remove: total === 1 ? 'Its copy is removed:' : `Its ${counted(total, 'copy', 'copies')} are removed:`,
    update: `Its ${counted(total, 'copy', 'copies')} get version ${textOf(plan, 'version')}:`,
    keep: 'Its copies stay as they are:',
  };
  if (total === 0) return <p>It has no copies at destinations.</p>;
  return (
    <>
      <p>{what[textOf(plan, 'action')] ?? ''}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <ul class="card list scrolls" aria-label="Copies" tabIndex={0}>
        {copies.map((copy) => (
          <li key={`${textOf(copy, 'destination', 'type')}/${textOf(copy, 'destination', 'name')}`} class="what">
            <StatusBadge status={textOf(copy, 'status')} />
            <span class="wrap">
              {textOf(copy, 'destination', 'type')}/{textOf(copy, 'destination', 'name')}
            </span>
            <span class="quiet wrap">{textsOf(copy, 'external_names').slice(0, 3).join(', ')}</span>
          </li>
        ))}
        {hidden === 0 ? null : <li class="quiet">and {counted(hidden, 'copy', 'copies')} that you may not see</li>}
      </ul>
    </>
  );
}
