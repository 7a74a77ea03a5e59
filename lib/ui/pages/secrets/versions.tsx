import { useState } from 'preact/hooks';
import { kv2 } from '#client/operations/kv.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import { SelectField } from '../../form/field.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { reasonOf } from '../../parts/problem.tsx';
import { counted } from '../../parts/relative.ts';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import type { Look } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { refresh } from '../../state/use-query.ts';
import { type Column, Table } from '../../table/table.tsx';
import type { SecretMount } from './address.ts';
import { Compare } from './values/compare.tsx';

type State = 'there' | 'deleted' | 'destroyed';

/** A version may have a time at which it is deleted, which can be ahead. */
export function stateOf(version: Value | undefined, now: Date): State {
  if (memberOf(version, 'destroyed') === true) return 'destroyed';
  const deletion = textOf(version, 'deletion_time');
  return deletion !== '' && new Date(deletion) <= now ? 'deleted' : 'there';
}

export const currentOf = (metadata: Value): number => Number(textOf(metadata, 'current_version') || 0);

const looks: Readonly<Record<State | 'current', Look>> = {
  current: { word: 'Current', tone: 'ok', icon: 'done' },
  there: { word: 'Earlier', tone: 'off', icon: 'clock' },
  deleted: { word: 'Deleted', tone: 'warn', icon: 'dash' },
  destroyed: { word: 'Destroyed', tone: 'fail', icon: 'cross' },
};

interface Line {
  readonly version: number;
  readonly state: State;
  readonly isCurrent: boolean;
  readonly createdAt: string;
  readonly by: string;
}

function linesOf(metadata: Value): readonly Line[] {
  const versions = memberOf(metadata, 'versions');
  const now = new Date();
  return Object.entries(isObject(versions) ? versions : {})
    .map(([version, value]) => ({
      version: Number(version),
      state: stateOf(value, now),
      isCurrent: Number(version) === currentOf(metadata),
      createdAt: textOf(value, 'created_time'),
      by: textOf(value, 'created_by', 'actor'),
    }))
    .sort((a, b) => b.version - a.version);
}

interface VersionsProps {
  readonly mount: SecretMount;
  readonly path: string;
  readonly metadata: Value;
}

/** All versions, the newest first. Two of them can be compared, a deleted one can be restored. */
export function Versions({ mount, path, metadata }: VersionsProps) {
  const lines = linesOf(metadata);
  const undelete = `${mount.path}/undelete/${path}`;
  const rights = useRights([undelete]);
  if (lines.length === 0) return null;
  const restore = async (version: number) => {
    await api.call(kv2.undelete, { mount: mount.path, path }, { versions: [version] }).then(
      () => say('ok', `Version ${version} is restored.`),
      (cause: unknown) => say('fail', reasonOf(cause, 'It could not be restored.')),
    );
    await Promise.all([refresh('secret'), refresh('keys')]);
  };
  const columns: readonly Column<Line>[] = [
    { name: 'Version', width: '4.5rem', cell: ({ version }) => <span class="numbers">{version}</span> },
    {
      name: 'State',
      width: '8rem',
      cell: ({ state, isCurrent }) => <Badge {...looks[isCurrent && state === 'there' ? 'current' : state]} />,
    },
    {
      name: 'Written',
      width: 'minmax(0, 1fr)',
      cell: ({ createdAt, by }) => (
        <>
          <Time at={createdAt} />
          <span class="under">{by === '' ? '' : `by ${by}`}</span>
        </>
      ),
    },
    {
      name: 'Action',
      width: '6rem',
      cell: ({ version, state }) =>
        state !== 'deleted' ? null : (
          <Button
            small
            label={`Restore version ${version}`}
            refusal={rights.refusal('update', undelete)}
            onPress={() => restore(version)}
          >
            Restore
          </Button>
        ),
    },
  ];
  return (
    <>
      <Table
        label="Versions"
        columns={columns}
        length={lines.length}
        rowAt={(index) => lines[index]}
        footer={<span>{counted(lines.length, 'version')}</span>}
      />
      <ToCompare mount={mount} path={path} versions={lines.filter(({ state }) => state === 'there')} />
    </>
  );
}

function ToCompare({
  mount,
  path,
  versions,
}: {
  readonly mount: SecretMount;
  readonly path: string;
  readonly versions: readonly Line[];
}) {
  const [earlier, setEarlier] = useState('');
  const [later, setLater] = useState('');
  const [isOpen, setOpen] = useState(false);
  if (versions.length < 2) return null;
  const options = versions.map(({ version }) => [String(version), `Version ${version}`] as const);
  const [from, to] = [earlier || String(versions[1]?.version), later || String(versions[0]?.version)];
  return (
    <div class="filters">
      <SelectField label="Compare" value={from} options={options} onValue={setEarlier} />
      <SelectField label="with" value={to} options={options} onValue={setLater} />
      <Button onPress={() => setOpen(true)} refusal={from === to ? 'These are the same version.' : undefined}>
        Compare keys
      </Button>
      {isOpen ? (
        <Compare mount={mount} path={path} earlier={Number(from)} later={Number(to)} onClose={() => setOpen(false)} />
      ) : null}
    </div>
  );
}
