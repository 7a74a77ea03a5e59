import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { useRights } from '../../state/rights.ts';
import type { Selection } from '../../table/selection.ts';
import type { BatchAction } from './actions.ts';
import { NewBatch } from './batch.tsx';
import { Download, savePicked } from './download.tsx';
import type { Filter } from './filter.ts';
import type { SyncRecord } from './record.ts';

const batches = 'sys/sync/batches';

interface ToolbarProps {
  readonly selection: Selection<SyncRecord>;
  readonly filter: Filter;
  /** How many match, in words. */
  readonly total: string;
}

/** How many records there are, or what can be done with the selected ones. */
export function Toolbar({ selection, filter, total }: ToolbarProps) {
  const [action, setAction] = useState<BatchAction>();
  const [isSaving, setSaving] = useState(false);
  const rights = useRights([batches]);
  const refusal = rights.refusal('update', batches);
  const { picked, isAll } = selection;
  const isAny = isAll || picked.length > 0;
  const extent = isAll ? { filter } : { ids: picked.map(({ id }) => id) };
  return (
    <>
      <span role="status" class="numbers">
        {isAll ? `All matching selected: ${total}` : isAny ? `${counted(picked.length, 'record')} selected` : total}
      </span>
      <div class="actions">
        {isAny ? (
          <>
            <Button small icon="spin" refusal={refusal} onPress={() => setAction('force')}>
              Push again
            </Button>
            <Button small icon="minus" refusal={refusal} onPress={() => setAction('remove')}>
              Remove copies
            </Button>
          </>
        ) : null}
        <Button small icon="download" onPress={() => (isAny && !isAll ? savePicked(picked) : setSaving(true))}>
          CSV
        </Button>
        {isAny ? (
          <Button small look="plain" icon="close" onPress={selection.clear}>
            Clear selection
          </Button>
        ) : null}
      </div>
      {action === undefined ? null : <NewBatch action={action} extent={extent} onClose={() => setAction(undefined)} />}
      {isSaving ? <Download filter={filter} total={total} onClose={() => setSaving(false)} /> : null}
    </>
  );
}
