import { useEffect, useRef, useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { textOf } from '#client/wire/json.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { save } from '../../parts/file.ts';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { count, counted } from '../../parts/relative.ts';
import { api } from '../../state/api.ts';
import { listIn } from '../../table/pages.ts';
import { csvHead, csvLines } from './csv.ts';
import type { Filter } from './filter.ts';
import { recordOf, type SyncRecord } from './record.ts';

/** Records of a file, and of one request for it. */
const fileMax = 100_000;
const pageMax = 500;

interface DownloadProps {
  readonly filter: Filter;
  /** How many match, in words. */
  readonly total: string;
  readonly onClose: () => void;
}

/** Reads what matches page by page. Each page is text of the file at once, which the browser keeps outside of the page's memory. */
export function Download({ filter, total, onClose }: DownloadProps) {
  const [done, setDone] = useState<number>();
  const [problem, setProblem] = useState('');
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const start = async () => {
    setProblem('');
    setDone(0);
    try {
      save('records.csv', await fileOf(filter, ending.current.signal, setDone));
      onClose();
    } catch (cause) {
      if (ending.current.signal.aborted) return;
      setDone(undefined);
      setProblem(reasonOf(cause, 'The file could not be made.'));
    }
  };
  return (
    <Dialog title="Download as CSV" onClose={onClose}>
      <div class="form">
        <p>
          Names, states and errors of what matches, without any value of a secret. A file has at most{' '}
          {counted(fileMax, 'record')}; narrow the filters for more.
        </p>
        <p role="status" class="quiet numbers">
          {done === undefined ? `${total} match.` : `${count(done)} read …`}
        </p>
        {problem === '' ? null : <Problem text={problem} />}
      </div>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" icon="download" onPress={start}>
          Download
        </Button>
      </div>
    </Dialog>
  );
}

/** The file of records that were picked. */
export const savePicked = (records: readonly SyncRecord[]): void =>
  save('records.csv', new Blob([csvHead, csvLines(records)], { type: 'text/csv' }));

async function fileOf(filter: Filter, signal: AbortSignal, onPage: (done: number) => void): Promise<Blob> {
  const parts: Blob[] = [new Blob([csvHead])];
  let [after, done] = ['', 0];
  do {
    const fields = { ...filter, limit: Math.min(pageMax, fileMax - done), after };
    const { data } = await api.call(sync.listRecords, {}, fields, { signal });
    const records = listIn(data, 'records').map(recordOf);
    parts.push(new Blob([csvLines(records)]));
    after = textOf(data, 'after');
    done += records.length;
    onPage(done);
  } while (after !== '' && done < fileMax);
  return new Blob(parts, { type: 'text/csv' });
}
