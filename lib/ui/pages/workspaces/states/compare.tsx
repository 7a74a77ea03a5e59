import { Badge } from '#ui/parts/badge.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { count, counted } from '#ui/parts/relative.ts';
import { State } from '#ui/parts/states.tsx';
import type { Look } from '#ui/parts/words.ts';
import type { Item } from '../document/items.ts';
import { type Change, type Difference, differencesOf, resourcesOf } from './differences.ts';

const looks: Readonly<Record<Change, Look>> = {
  added: { word: 'Added', tone: 'ok', icon: 'plus' },
  removed: { word: 'Removed', tone: 'fail', icon: 'minus' },
  changed: { word: 'Changed', tone: 'wait', icon: 'spin' },
};

/** Differences that are shown. */
const shownMax = 1_000;

interface CompareProps {
  readonly earlier: Item;
  readonly later: Item;
  readonly onClose: () => void;
}

/** Which addresses differ between two states. No state is downloaded: the documents name the resources. */
export const Compare = ({ earlier, later, onClose }: CompareProps) => (
  <Dialog title={`Serial ${earlier.text('serial')} and serial ${later.text('serial')}`} kind="drawer" onClose={onClose}>
    <p class="quiet">
      Compared by address, number of instances and provider. The states are not downloaded, so a resource with other
      attributes counts as the same.
    </p>
    <Found earlier={earlier} later={later} />
  </Dialog>
);

function Found({ earlier, later }: Pick<CompareProps, 'earlier' | 'later'>) {
  const [one, other] = [resourcesOf(earlier.value('resources')), resourcesOf(later.value('resources'))];
  if (one === undefined || other === undefined)
    return (
      <State icon="clock" title="The resources are still being read">
        Try again in a moment.
      </State>
    );
  const differences = differencesOf(one, other);
  if (differences.length === 0)
    return (
      <State icon="done" tone="ok" title="The same resources">
        {counted(other.length, 'address has', 'addresses have')} the same number of instances in both.
      </State>
    );
  return (
    <>
      <p role="status">{summary(differences)}</p>
      <ul class="card list" aria-label="Differences">
        {differences.slice(0, shownMax).map((one) => (
          <li key={one.address} class="what">
            <Badge {...looks[one.change]} />
            <code class="wrap">{one.address}</code>
            <span class="quiet">{detail(one)}</span>
          </li>
        ))}
        {differences.length > shownMax ? <li class="quiet">and {count(differences.length - shownMax)} more</li> : null}
      </ul>
    </>
  );
}

function summary(differences: readonly Difference[]): string {
  const of = (change: Change) => differences.filter((one) => one.change === change).length;
  return `${count(of('added'))} added · ${count(of('changed'))} changed · ${count(of('removed'))} removed`;
}

function detail({ change, earlier, later }: Difference): string {
  if (change !== 'changed') return counted((later ?? earlier)?.count ?? 0, 'instance');
  if (earlier?.count !== later?.count)
    return `${count(earlier?.count ?? 0)} → ${counted(later?.count ?? 0, 'instance')}`;
  return 'another provider';
}
