import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { reasonOf } from '#ui/parts/problem.tsx';
import { count, counted } from '#ui/parts/relative.ts';
import { Failed, Skeleton, Stale, State } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { say } from '#ui/parts/toast.tsx';
import { driftLook } from '#ui/parts/words.ts';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { pollMs, refresh } from '#ui/state/use-query.ts';
import { rowsIn, rowsPerPage, usePages } from '#ui/table/pages.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { ErrorBox } from '../../records/drawer.tsx';
import { recordsUrl } from '../../records/filter.ts';
import { errorOf, recordOf, type SyncRecord } from '../../records/record.ts';

interface DriftProps {
  readonly type: string;
  readonly name: string;
  readonly stored: Value;
}

/** What differs there from what the last sync left, by the last look of a worker, and the push that repairs it. */
export function Drift({ type, name, stored }: DriftProps) {
  const error = errorOf(memberOf(stored, 'drift_error'));
  const unseen = Number(textOf(stored, 'drift_unseen') || 0);
  const checked = textOf(stored, 'drift_checked_at');
  return (
    <>
      <section class="card" aria-label="Looks">
        <dl class="facts inside">
          <dt>Last complete look</dt>
          <dd>{checked === '' ? 'none yet' : <Time at={checked} />}</dd>
          <dt>When drift is found</dt>
          <dd>{policies[textOf(stored, 'on_drift') || textOf(stored, 'options', 'on_drift')] ?? 'it is reported'}</dd>
          {unseen === 0 ? null : (
            <>
              <dt>Not allowed to look at</dt>
              <dd>{counted(unseen, 'object')}</dd>
            </>
          )}
        </dl>
      </section>
      {error === undefined ? null : <ErrorBox error={error} />}
      <Found type={type} name={name} wasLookedAt={checked !== ''} />
    </>
  );
}

const policies: Readonly<Record<string, string>> = {
  report: 'it is reported',
  repair: 'it is reported and repaired',
  off: 'there are no looks',
};

function Found({
  type,
  name,
  wasLookedAt,
}: {
  readonly type: string;
  readonly name: string;
  readonly wasLookedAt: boolean;
}) {
  const { route } = useLocation();
  const pages = usePages({
    key: ['records', 'drift', type, name],
    ask: (after, options) =>
      api.call(sync.listRecords, {}, { type, name, drift: 'any', limit: rowsPerPage, after }, options),
    ...rowsIn('records'),
    everyMs: pollMs,
  });
  const { first, failure } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton /> : <Failed failure={failure} again={pages.again} />;
  const total = Number(textOf(first.data, 'total') || 0);
  if (total === 0)
    return (
      <div class="card">
        {wasLookedAt ? (
          <State icon="done" tone="ok" title="No drift">
            What is there is what the last syncs left.
          </State>
        ) : (
          <State icon="search" title="Not looked at yet">
            Workers look every few hours. The plan looks at once.
          </State>
        )}
      </div>
    );
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <div class="actions">
        <Repair type={type} name={name} total={total} />
      </div>
      <Table
        label="Drift"
        columns={columns}
        length={pages.length}
        rowAt={(index) => {
          const row = pages.rowAt(index);
          return row === undefined
            ? undefined
            : { record: recordOf(row), drift: textOf(row, 'drift'), at: textOf(row, 'drift_at') };
        }}
        onShow={pages.show}
        onOpen={({ record }) => route(recordsUrl({ type, name }, record.id))}
        footer={
          <span>
            {memberOf(first.data, 'total_at_least') === true
              ? `More than ${counted(total, 'record')}`
              : counted(total, 'record')}
          </span>
        }
      />
    </>
  );
}

function Repair({ type, name, total }: { readonly type: string; readonly name: string; readonly total: number }) {
  const rights = useRights(['sys/sync/batches']);
  const repair = async () => {
    await api.call(sync.createBatch, {}, { action: 'force', type, name, drift: 'any' }).then(
      () => say('ok', 'What drifted is pushed again. The batch shows how it goes.'),
      (cause: unknown) => say('fail', reasonOf(cause, 'The repair could not begin.')),
    );
    await Promise.all([refresh('records'), refresh('destination')]);
  };
  return (
    <Button look="primary" icon="spin" refusal={rights.refusal('update', 'sys/sync/batches')} onPress={repair}>
      Repair {count(total)}
    </Button>
  );
}

interface Drifted {
  readonly record: SyncRecord;
  readonly drift: string;
  readonly at: string;
}

const columns: readonly Column<Drifted>[] = [
  { name: 'Drift', width: '11rem', cell: ({ drift }) => <Badge {...driftLook(drift)} /> },
  {
    name: 'Secret',
    width: 'minmax(0, 1fr)',
    cell: ({ record: { mount, secret, externalName } }) => (
      <>
        <span title={`${mount}/${secret}`}>
          <span class="quiet">{mount}/</span>
          {secret}
        </span>
        <span class="under mono">{externalName}</span>
      </>
    ),
  },
  { name: 'Seen', width: '9rem', wideOnly: true, cell: ({ at }) => (at === '' ? '' : <Time at={at} />) },
];
