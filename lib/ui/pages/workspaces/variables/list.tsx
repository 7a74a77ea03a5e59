import { useState } from 'preact/hooks';
import { Button } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { type Item, itemsOf } from '../document/items.ts';
import { Shown } from '../document/shown.tsx';
import { Edit } from './edit.tsx';
import type { Owner } from './owner.ts';
import { Remove } from './remove.tsx';

interface ListProps {
  readonly title: string;
  readonly note?: string;
  readonly owner: Owner;
  /** Why the caller may not write them. */
  readonly refusal: string | undefined;
}

type Step = { readonly kind: 'edit' | 'remove'; readonly variable: Item } | { readonly kind: 'new' };

/** The variables of a workspace or of a set. */
export function List({ title, note, owner, refusal }: ListProps) {
  const [step, setStep] = useState<Step>();
  const asked = useQuery({ key: owner.key, ask: owner.list, everyMs: pollMs });
  const close = () => setStep(undefined);
  return (
    <section class="card" aria-label={title}>
      <header>
        <div>
          <h2 class="wrap">{title}</h2>
          {note === undefined ? null : <p class="quiet">{note}</p>}
        </div>
        <Button
          small
          icon="plus"
          refusal={refusal}
          label={`New variable: ${title}`}
          onPress={() => setStep({ kind: 'new' })}
        >
          New variable
        </Button>
      </header>
      <Shown asked={asked}>
        {(reply) =>
          itemsOf(reply).length === 0 ? (
            <p class="inside quiet">No variables yet.</p>
          ) : (
            <ul class="list">
              {itemsOf(reply).map((one) => (
                <Line key={one.id} variable={one} refusal={refusal} onStep={setStep} />
              ))}
            </ul>
          )
        }
      </Shown>
      {step?.kind === 'new' ? <Edit owner={owner} onClose={close} /> : null}
      {step?.kind === 'edit' ? <Edit owner={owner} variable={step.variable} onClose={close} /> : null}
      {step?.kind === 'remove' ? <Remove owner={owner} variable={step.variable} onClose={close} /> : null}
    </section>
  );
}

interface LineProps {
  readonly variable: Item;
  readonly refusal: string | undefined;
  readonly onStep: (step: Step) => void;
}

function Line({ variable, refusal, onStep }: LineProps) {
  const key = variable.text('key');
  const notes = [
    variable.text('category') === 'env' ? 'of the environment' : 'of the engine',
    variable.is('hcl') ? 'an expression' : '',
    variable.text('description'),
  ];
  return (
    <li class="variable">
      <div>
        <code class="wrap">{key}</code>
        <p class="quiet wrap">{notes.filter(Boolean).join(' · ')}</p>
      </div>
      {variable.is('sensitive') ? (
        <span class="what quiet">
          <Icon name="lock" size={14} /> Sensitive: cannot be read
        </span>
      ) : (
        <pre class="plain-value">{variable.text('value') || <span class="quiet">empty</span>}</pre>
      )}
      <span class="actions">
        <Button small refusal={refusal} label={`Edit ${key}`} onPress={() => onStep({ kind: 'edit', variable })}>
          Edit
        </Button>
        <Button small refusal={refusal} label={`Delete ${key}`} onPress={() => onStep({ kind: 'remove', variable })}>
          Delete
        </Button>
      </span>
    </li>
  );
}
