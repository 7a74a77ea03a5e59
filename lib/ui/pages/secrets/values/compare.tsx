import { useEffect, useState } from 'preact/hooks';
import { Badge } from '#ui/parts/badge.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { Skeleton } from '#ui/parts/states.tsx';
import type { Look } from '#ui/parts/words.ts';
import type { SecretMount } from '../address.ts';
import { type Change, compared } from './changes.ts';
import { Masked } from './masked.tsx';
import { readValues } from './read.ts';

interface CompareProps {
  readonly mount: SecretMount;
  readonly path: string;
  readonly earlier: number;
  readonly later: number;
  readonly onClose: () => void;
}

const looks: Readonly<Record<Change, Look>> = {
  added: { word: 'Added', tone: 'ok', icon: 'plus' },
  removed: { word: 'Removed', tone: 'fail', icon: 'minus' },
  changed: { word: 'Changed', tone: 'wait', icon: 'spin' },
  same: { word: 'Same', tone: 'off', icon: 'check' },
};

/** Which keys differ between two versions. The values are compared and dropped; each is shown only when it is asked for. */
export function Compare({ mount, path, earlier, later, onClose }: CompareProps) {
  const [changes, setChanges] = useState<ReturnType<typeof compared>>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const of = (version: number) => readValues({ mount, path, version }, { signal });
    Promise.all([of(earlier), of(later)]).then(
      ([one, other]) => setChanges(compared(one, other)),
      (cause: unknown) => {
        if (!signal.aborted) setProblem(reasonOf(cause, 'The versions could not be read.'));
      },
    );
    return () => ending.abort();
  }, []);
  return (
    <Dialog title={`Version ${earlier} and version ${later}`} kind="drawer" onClose={onClose}>
      {problem === '' ? null : <Problem text={problem} />}
      {changes === undefined && problem === '' ? <Skeleton /> : null}
      <ul class="card list" aria-label="Keys">
        {(changes ?? []).map(([key, change]) => (
          <li key={key} class="keyed">
            <div class="what">
              <Badge {...looks[change]} />
              <code class="wrap">{key}</code>
            </div>
            {change === 'added' ? null : (
              <Masked of={{ mount, path, version: earlier }} name={key} which={`version ${earlier}`} />
            )}
            {change === 'removed' || change === 'same' ? null : (
              <Masked of={{ mount, path, version: later }} name={key} which={`version ${later}`} />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
