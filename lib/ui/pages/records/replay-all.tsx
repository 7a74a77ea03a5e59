import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { counted } from '../../parts/relative.ts';
import { Answer } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { lookOf } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { useQuery } from '../../state/use-query.ts';
import type { Filter } from './filter.ts';

interface ReplayProps {
  readonly filter: Filter;
  readonly onClose: () => void;
}

/** The batch that a filter means. Without a status only failed syncs are replayed; the server wants that an empty filter is meant. */
const batchOf = (filter: Filter) => {
  const { status, ...others } = filter;
  return { action: 'replay', ...others, ...(status === undefined ? {} : { status: status.split(',') }), all: true };
};

/** Says how many it would be before it begins. */
export function ReplayAll({ filter, onClose }: ReplayProps) {
  const { route } = useLocation();
  const rights = useRights(['sys/sync/batches']);
  const preview = useQuery({
    key: ['replay-preview', filter],
    ask: (options) => api.call(sync.createBatch, {}, { ...batchOf(filter), dry_run: true }, options),
  });
  const start = async () => {
    try {
      await api.call(sync.createBatch, {}, batchOf(filter));
      say('ok', 'The batch has begun.');
      route('/ui/batches');
    } catch (cause) {
      say('fail', cause instanceof CallFailure ? cause.message : 'The batch could not begin.');
    }
  };
  const total = Number(textOf(preview.reply?.data, 'would_change') || 0);
  return (
    <Dialog title="Replay all matching" onClose={onClose}>
      <Answer asked={preview}>{({ data }) => <Preview data={data ?? null} total={total} />}</Answer>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button
          look="primary"
          refusal={total === 0 ? 'Nothing matches.' : rights.refusal('update', 'sys/sync/batches')}
          onPress={start}
        >
          Replay {total === 0 ? '' : counted(total, 'record')}
        </Button>
      </div>
    </Dialog>
  );
}

function Preview({ data, total }: { readonly data: Value; readonly total: number }) {
  const counts = memberOf(data, 'counts');
  const list: readonly Value[] = Array.isArray(counts) ? counts : [];
  if (total === 0)
    return <p>No record that matches the filters needs a replay. Without a status, only failed ones count.</p>;
  return (
    <dl class="facts">
      {list.map((one) => (
        <Line key={`${textOf(one, 'type')}/${textOf(one, 'name')} ${textOf(one, 'status')}`} one={one} />
      ))}
    </dl>
  );
}

const Line = ({ one }: { readonly one: Value }) => (
  <>
    <dt>{lookOf(textOf(one, 'status')).word}</dt>
    <dd>
      {textOf(one, 'count')} at {textOf(one, 'type')}/{textOf(one, 'name')}
    </dd>
  </>
);
