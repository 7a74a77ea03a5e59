import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '../../form/field.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { count, counted } from '../../parts/relative.ts';
import { Answer } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { lookOf } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { refresh, useQuery } from '../../state/use-query.ts';
import { listIn } from '../../table/pages.ts';
import { actionWords, type BatchAction } from './actions.ts';
import type { Filter } from './filter.ts';

/** Records that were picked, or all that match a filter. */
export type Extent = { readonly ids: readonly string[] } | { readonly filter: Filter };

interface BatchProps {
  readonly action: BatchAction;
  readonly extent: Extent;
  readonly onClose: () => void;
}

/** The server wants a confirmation that an empty filter is meant. */
const requestOf = (action: BatchAction, extent: Extent) => {
  if ('ids' in extent) return { action, ids: extent.ids };
  const { status, ...others } = extent.filter;
  return { action, ...others, ...(status === undefined ? {} : { status: status.split(',') }), all: true };
};

/** Begins a batch, after it was said how many records it changes. A removal has the number typed. */
export function NewBatch({ action, extent, onClose }: BatchProps) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const rights = useRights(['sys/sync/batches']);
  const request = requestOf(action, extent);
  const preview = useQuery({
    key: ['batch-preview', request],
    ask: ({ signal }) => api.call(sync.createBatch, {}, { ...request, dry_run: true }, { signal }),
  });
  const { title, verb, effect, nothing, isDanger } = actionWords[action];
  const total = Number(textOf(preview.reply?.data, 'would_change') || 0);
  const isUntyped = isDanger && typed.replace(/\D/g, '') !== String(total);
  const start = async () => {
    setProblem('');
    try {
      await api.call(sync.createBatch, {}, request);
      await refresh('batches');
      say('ok', 'The batch has begun.');
      route('/ui/batches');
    } catch (cause) {
      setProblem(reasonOf(cause, 'The batch could not begin.'));
    }
  };
  return (
    <Dialog title={'ids' in extent ? title : `${title} all matching`} onClose={onClose}>
      <div class="form">
        <p>{effect}</p>
        <Answer asked={preview}>
          {({ data }) => (total === 0 ? <p>{nothing}</p> : <Preview data={data ?? null} />)}
        </Answer>
        {isDanger && total > 0 ? (
          <TextField label={`Type ${total} to confirm`} value={typed} onValue={setTyped} />
        ) : null}
        {problem === '' ? null : <Problem text={problem} />}
      </div>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button
          look={isDanger ? 'danger' : 'primary'}
          refusal={
            rights.refusal('update', 'sys/sync/batches') ??
            (total === 0 ? 'Nothing matches.' : isUntyped ? 'Type the number of records first.' : undefined)
          }
          onPress={start}
        >
          {verb} {total === 0 ? '' : counted(total, 'record')}
        </Button>
      </div>
    </Dialog>
  );
}

const Preview = ({ data }: { readonly data: Value }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
  <section class="scrolls" tabIndex={0} aria-label="What it changes">
    <dl class="facts">
      {listIn(data, 'counts').map((one) => (
        <Line key={`${textOf(one, 'type')}/${textOf(one, 'name')} ${textOf(one, 'status')}`} one={one} />
      ))}
    </dl>
  </section>
);

const Line = ({ one }: { readonly one: Value }) => (
  <>
    <dt>{lookOf(textOf(one, 'status')).word}</dt>
    <dd class="wrap">
      {count(Number(textOf(one, 'count')))} at {textOf(one, 'type')}/{textOf(one, 'name')}
    </dd>
  </>
);
