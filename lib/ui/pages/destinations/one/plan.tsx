import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Problem } from '#ui/parts/problem.tsx';
import { counted } from '#ui/parts/relative.ts';
import { State } from '#ui/parts/states.tsx';
import type { Look } from '#ui/parts/words.ts';
import { api } from '#ui/state/api.ts';
import { type Column, Table } from '#ui/table/table.tsx';

const pageSize = 100;

interface Planned {
  readonly objects: readonly Value[];
  readonly after: string;
}

/** What a sync would do now. A worker looks at the destination only when it is asked to, and changes nothing. */
export function Plan({ type, name }: { readonly type: string; readonly name: string }) {
  const [planned, setPlanned] = useState<Planned>();
  const [problem, setProblem] = useState('');
  const look = async (from: Planned | undefined) => {
    setProblem('');
    try {
      const after = from === undefined ? {} : { after: from.after };
      const { data } = await api.call(sync.planDestination, { type, name }, { limit: pageSize, ...after });
      const objects = memberOf(data, 'objects');
      setPlanned({
        objects: [...(from?.objects ?? []), ...(Array.isArray(objects) ? objects : [])],
        after: textOf(data, 'after'),
      });
    } catch (cause) {
      setProblem(cause instanceof CallFailure ? cause.message : 'There is no plan.');
    }
  };
  return (
    <>
      {problem === '' ? null : <Problem text={problem} />}
      {planned === undefined ? (
        <div class="card">
          <State
            icon="search"
            title="What would a sync do?"
            actions={
              <Button look="primary" onPress={() => look(undefined)}>
                Plan
              </Button>
            }
          >
            A worker compares the destination with the secrets, by reading calls only.
          </State>
        </div>
      ) : (
        <Objects planned={planned} onMore={() => look(planned)} onAgain={() => look(undefined)} />
      )}
    </>
  );
}

const looks: Readonly<Record<string, Look>> = {
  create: { word: 'Create', tone: 'ok', icon: 'plus' },
  update: { word: 'Update', tone: 'wait', icon: 'spin' },
  delete: { word: 'Delete', tone: 'fail', icon: 'dash' },
  refuse: { word: 'Refuse', tone: 'warn', icon: 'cross' },
  leave: { word: 'Leave', tone: 'off', icon: 'check' },
};

interface ObjectsProps {
  readonly planned: Planned;
  readonly onMore: () => unknown;
  readonly onAgain: () => unknown;
}

function Objects({ planned, onMore, onAgain }: ObjectsProps) {
  const { objects, after } = planned;
  if (objects.length === 0)
    return (
      <div class="card">
        <State icon="done" tone="ok" title="Nothing to do" actions={<Button onPress={onAgain}>Plan again</Button>}>
          No secret is associated with this destination.
        </State>
      </div>
    );
  return (
    <>
      <div class="actions">
        {Object.entries(looks).map(([action, look]) => {
          const size = objects.filter((one) => textOf(one, 'action') === action).length;
          return size === 0 ? null : <Badge key={action} {...look} word={`${look.word} ${size}`} />;
        })}
      </div>
      <Table
        label="Plan"
        columns={columns}
        length={objects.length}
        rowAt={(index) => objects[index]}
        footer={<span>{counted(objects.length, 'object')}</span>}
      />
      <div class="actions">
        {after === '' ? null : <Button onPress={onMore}>Plan further</Button>}
        <Button onPress={onAgain}>Plan again</Button>
      </div>
    </>
  );
}

const columns: readonly Column<Value>[] = [
  {
    name: 'Action',
    width: '8rem',
    cell: (one) => (
      <Badge {...(looks[textOf(one, 'action')] ?? { word: textOf(one, 'action'), tone: 'off', icon: 'question' })} />
    ),
  },
  {
    name: 'Name there',
    width: 'minmax(0, 1fr)',
    cell: (one) => (
      <>
        <span class="mono">{textOf(one, 'external_name')}</span>
        <span class="under">{textOf(one, 'error', 'message') || textOf(one, 'reason').replaceAll('-', ' ')}</span>
      </>
    ),
  },
  {
    name: 'Secret',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: (one) => `${textOf(one, 'mount')}/${textOf(one, 'secret_name')}`,
  },
];
