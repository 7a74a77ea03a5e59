import { useState } from 'preact/hooks';
import { SelectField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import type { Item } from '../document/items.ts';
import { Compare } from './compare.tsx';

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const optionOf = (one: Item) =>
  [one.id, `Serial ${one.text('serial')}, ${exact.format(new Date(one.text('created-at')))}`] as const;

/** Two versions of the list, of which the resources are compared. */
export function Choose({ versions }: { readonly versions: readonly Item[] }) {
  const complete = versions.filter((one) => one.text('status') === 'finalized');
  const [chosen, setChosen] = useState({ earlier: '', later: '' });
  const [isOpen, setOpen] = useState(false);
  if (complete.length < 2) return null;
  const pick = (id: string, otherwise: number) => complete.find((one) => one.id === id) ?? complete[otherwise];
  const [later, earlier] = [pick(chosen.later, 0), pick(chosen.earlier, 1)];
  if (earlier === undefined || later === undefined) return null;
  const options = complete.map(optionOf);
  return (
    <section class="filters wide" aria-label="Compare">
      <SelectField
        label="Compare resources of"
        value={earlier.id}
        options={options}
        onValue={(id) => setChosen({ ...chosen, earlier: id })}
      />
      <SelectField
        label="with those of"
        value={later.id}
        options={options}
        onValue={(id) => setChosen({ ...chosen, later: id })}
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
  );
}
