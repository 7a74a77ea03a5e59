import { useState } from 'preact/hooks';
import { SelectField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import type { Item } from '../document/items.ts';
import { Compare } from './compare.tsx';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const optionOf = (one: Item) =>
  [one.id, `Serial ${one.text('serial')}, ${exact.format(new Date(one.text('created-at')))}`] as const;

/** Two versions, which may be of different pages. */
export interface Chosen {
  readonly earlier?: Item | undefined;
  readonly later?: Item | undefined;
}

interface ChooseProps {
  /** Of the page that is shown. */
  readonly versions: readonly Item[];
  /** Stays while the pages are turned. */
  readonly chosen: Chosen;
  readonly onChosen: (chosen: Chosen) => void;
  readonly hasPages: boolean;
}

/** Two versions, of which the resources are compared. */
export function Choose({ versions, chosen, onChosen, hasPages }: ChooseProps) {
  const [isOpen, setOpen] = useState(false);
  const complete = versions.filter((one) => one.text('status') === 'finalized');
  const later = chosen.later ?? complete[0];
  const earlier = chosen.earlier ?? complete.find(({ id }) => id !== later?.id);
  if (earlier === undefined || later === undefined) return null;
  const known = new Map([...complete, later, earlier].map((one) => [one.id, one]));
  const options = [...known.values()]
    .toSorted((one, other) => other.text('created-at').localeCompare(one.text('created-at')))
    .map(optionOf);
  return (
    <>
      <section class="filters wide" aria-label="Compare">
        <SelectField
          label="Compare resources of"
          value={earlier.id}
          options={options}
          onValue={(id) => onChosen({ earlier: known.get(id), later })}
        />
        <SelectField
          label="with those of"
          value={later.id}
          options={options}
          onValue={(id) => onChosen({ earlier, later: known.get(id) })}
        />
        <Button
          icon="layers"
          refusal={earlier.id === later.id ? 'Choose two versions.' : undefined}
          onPress={() => setOpen(true)}
        >
          Compare
        </Button>
        {isOpen ? <Compare earlier={earlier} later={later} onClose={() => setOpen(false)} /> : null}
      </section>
      {hasPages ? (
        <p class="quiet">For other versions, turn the pages of the list. What you have chosen stays.</p>
      ) : null}
    </>
  );
}
