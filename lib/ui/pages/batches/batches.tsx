import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { count } from '../../parts/relative.ts';
import { Answer, State } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { kindWord, type Look } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { orEmpty, pollMs, refresh, useQuery } from '../../state/use-query.ts';
import { useTitle } from '../../state/use-title.ts';
import { More, useBeginning } from '../../table/more.tsx';
import { listIn } from '../../table/pages.ts';

const shownAtOnce = 100;

export function Batches() {
  useTitle('Batches');
  const asked = useQuery({
    key: ['batches'],
    ask: (options) => orEmpty(api.call(sync.listBatches, {}, undefined, options)),
    everyMs: pollMs,
  });
  return (
    <>
      <div class="head">
        <div>
          <h1>Batches</h1>
          <p>Work over many records, in the background.</p>
        </div>
      </div>
      <Answer asked={asked}>{({ data }) => <List data={data ?? null} />}</Answer>
    </>
  );
}

function List({ data }: { readonly data: Value }) {
  const shown = useBeginning(listIn(data, 'keys'), shownAtOnce);
  if (shown.rows.length === 0) return <Nothing />;
  return (
    <div class="card">
      <ul class="list" aria-label="Batches">
        {shown.rows.map((id) => (
          <Batch key={String(id)} batch={memberOf(data, 'key_info', String(id)) ?? null} />
        ))}
      </ul>
      <More of={shown} one="batch" many="batches" />
    </div>
  );
}

const Nothing = () => (
  <div class="card">
    <State icon="layers" title="No batch yet" actions={<LinkButton href="/ui/records">Records</LinkButton>}>
      A batch begins when you replay, push or remove several records, or apply a plan.
    </State>
  </div>
);

const looks: Readonly<Record<string, Look>> = {
  running: { word: 'Running', tone: 'wait', icon: 'clock' },
  done: { word: 'Done', tone: 'ok', icon: 'done' },
  settling: { word: 'Settling', tone: 'wait', icon: 'clock' },
  canceled: { word: 'Cancelled', tone: 'off', icon: 'dash' },
  failed: { word: 'Failed', tone: 'fail', icon: 'cross' },
};
const actions: Readonly<Record<string, string>> = {
  replay: 'Replay',
  force: 'Push again',
  apply: 'Apply a plan',
  set: 'Set again',
  remove: 'Remove',
};

function Batch({ batch }: { readonly batch: Value }) {
  const [id, state] = [textOf(batch, 'id'), textOf(batch, 'state')];
  const total = Number(textOf(batch, 'total') || 0);
  const progress = Number(textOf(batch, 'progress') || 0);
  const action = textOf(batch, 'action');
  return (
    <li class="need">
      <div class="form">
        <div class="what">
          <Badge {...(looks[state] ?? { word: state, tone: 'off', icon: 'question' })} />
          {actions[action] ?? action} <span class="quiet wrap">{filterText(memberOf(batch, 'filter'))}</span>
        </div>
        <div
          class="meter"
          role="progressbar"
          aria-label="Progress"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(progress * 100)}
        >
          <span style={{ width: `${progress * 100}%` }} />
        </div>
        <p class="quiet numbers">
          {outcomesOf(batch)} of {count(total)} · began <Time at={textOf(batch, 'created_at')} />
        </p>
      </div>
      {state === 'running' || state === 'settling' ? <Cancel id={id} /> : null}
    </li>
  );
}

function Cancel({ id }: { readonly id: string }) {
  const path = `sys/sync/batches/${id}/cancel`;
  const rights = useRights([path]);
  const cancel = async () => {
    await api.call(sync.cancelBatch, { id }).then(
      () => say('ok', 'The batch is cancelled. What it has changed stays changed.'),
      (cause: unknown) => say('fail', cause instanceof CallFailure ? cause.message : 'It could not be cancelled.'),
    );
    await refresh('batches');
  };
  return (
    <Button small icon="close" refusal={rights.refusal('update', path)} onPress={cancel}>
      Cancel
    </Button>
  );
}

function outcomesOf(batch: Value): string {
  const counts = memberOf(batch, 'counts');
  const named = ['synced', 'unsynced', 'failed', 'pending', 'skipped'].flatMap((name) => {
    const value = Number(textOf(counts, name) || 0);
    return value === 0 ? [] : [`${count(value)} ${name === 'unsynced' ? 'removed' : name}`];
  });
  const kinds = memberOf(batch, 'failed_by_kind');
  const why = isObject(kinds) ? Object.keys(kinds).map(kindWord).join(', ') : '';
  return `${named.length === 0 ? 'none yet' : named.join(', ')}${why === '' ? '' : ` (${why})`}`;
}

function filterText(filter: Value | undefined): string {
  if (!isObject(filter) || Object.keys(filter).length === 0) return 'all records';
  return Object.entries(filter)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
}
