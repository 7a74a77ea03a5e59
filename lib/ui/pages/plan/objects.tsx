import { textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { count, counted } from '../../parts/relative.ts';
import { State } from '../../parts/states.tsx';
import { type Column, Table } from '../../table/table.tsx';
import { planLook, planLooks, sortedByAction } from './actions.ts';
import { Apply } from './apply.tsx';
import type { Planning } from './use-plan.ts';

interface PlanProps {
  readonly planning: Planning;
  /** Whether the objects are at several destinations. */
  readonly isOfAll: boolean;
  /** Why the caller may not plan. */
  readonly refusal: string | undefined;
}

/** A plan: asked for, shown, and applied. */
export function PlanView({ planning, isOfAll, refusal }: PlanProps) {
  const { planned, problem, isBusy, begin } = planning;
  return (
    <>
      {problem === '' ? null : <Problem text={problem} />}
      {planned === undefined ? (
        <div class="card">
          <State
            icon="search"
            title={isBusy ? 'A worker is looking …' : 'What would a sync do?'}
            actions={
              <Button look="primary" refusal={refusal} onPress={begin}>
                Plan
              </Button>
            }
          >
            A worker compares {isOfAll ? 'the destinations' : 'the destination'} with the secrets, by reading calls
            only.
          </State>
        </div>
      ) : planned.objects.length === 0 ? (
        <div class="card">
          <State icon="done" tone="ok" title="Nothing to do" actions={<Button onPress={begin}>Plan again</Button>}>
            {isOfAll ? 'No record matches.' : 'No secret is associated with this destination.'}
          </State>
        </div>
      ) : (
        <Objects planning={planning} isOfAll={isOfAll} />
      )}
    </>
  );
}

function Objects({ planning, isOfAll }: Omit<PlanProps, 'refusal'>) {
  const { planned, isBusy, begin, goOn } = planning;
  if (planned === undefined) return null;
  const { objects, after } = planned;
  const sorted = sortedByAction(objects);
  const isOver = after === '' && !isBusy;
  return (
    <Table
      label="Plan"
      columns={isOfAll ? [...columns, destination] : columns}
      length={objects.length}
      rowAt={(index) => sorted[index]}
      header={
        <>
          <span class="plan-counts" role="status">
            {isBusy ? <span class="quiet">Planning …</span> : null}
            {Object.entries(planLooks).map(([action, look]) => {
              const size = objects.filter((one) => textOf(one, 'action') === action).length;
              return size === 0 ? null : <Badge key={action} {...look} word={`${look.word} ${count(size)}`} />;
            })}
          </span>
          <div class="actions">
            <Button onPress={begin}>Plan again</Button>
            {isBusy ? null : <Apply planned={planned} onAgain={begin} />}
          </div>
        </>
      }
      footer={
        <>
          <span>{counted(objects.length, 'object')}</span>
          {isOver || isBusy ? null : (
            <Button small onPress={goOn}>
              There is more: plan further
            </Button>
          )}
        </>
      }
    />
  );
}

const columns: readonly Column<Value>[] = [
  { name: 'Action', width: '9rem', cell: (one) => <Badge {...planLook(textOf(one, 'action'))} /> },
  {
    name: 'Name there',
    width: 'minmax(0, 1fr)',
    cell: (one) => (
      <>
        <span class="mono" title={textOf(one, 'external_name')}>
          {textOf(one, 'external_name') || '–'}
        </span>
        <span class="under">{textOf(one, 'error', 'message') || textOf(one, 'reason').replaceAll('-', ' ')}</span>
      </>
    ),
  },
  {
    name: 'Secret',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: (one) => (
      <span title={`${textOf(one, 'mount')}/${textOf(one, 'secret_name')}`}>
        <span class="quiet">{textOf(one, 'mount')}/</span>
        {textOf(one, 'secret_name')}
      </span>
    ),
  },
];

const destination: Column<Value> = {
  name: 'Destination',
  width: 'minmax(0, 0.8fr)',
  wideOnly: true,
  cell: (one) => (
    <>
      <span title={textOf(one, 'destination', 'name')}>{textOf(one, 'destination', 'name')}</span>
      <span class="under">{textOf(one, 'destination', 'type')}</span>
    </>
  ),
};
