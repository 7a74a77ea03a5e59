import { useState } from 'preact/hooks';
import type { Value } from '#client/wire/json.ts';
import { CheckField, SelectField, TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { refresh } from '#ui/state/use-query.ts';
import { dataOf, type Item } from '../document/items.ts';
import type { Owner } from './owner.ts';

interface EditProps {
  readonly owner: Owner;
  /** Undefined makes a new one. */
  readonly variable?: Item;
  readonly onClose: () => void;
}

const givenOf = (variable: Item | undefined) => ({
  key: variable?.text('key') ?? '',
  value: variable?.text('value') ?? '',
  description: variable?.text('description') ?? '',
  category: variable?.text('category') ?? 'terraform',
  hcl: variable?.is('hcl') ?? false,
  sensitive: variable?.is('sensitive') ?? false,
});

type Given = ReturnType<typeof givenOf>;

/** A sensitive value that is left empty is kept, and a sensitive variable stays one. */
function sentOf(given: Given, wasSensitive: boolean): Readonly<Record<string, Value>> {
  const { value, ...others } = given;
  return wasSensitive && value === '' ? others : { ...others, value };
}

/** Creates or changes a variable. */
export function Edit({ owner, variable, onClose }: EditProps) {
  const [given, setGiven] = useState(() => givenOf(variable));
  const [problem, setProblem] = useState('');
  const set = (change: Partial<Given>) => setGiven({ ...given, ...change });
  const wasSensitive = variable?.is('sensitive') ?? false;
  const save = async (event: Event) => {
    event.preventDefault();
    if (given.key === '') return setProblem('The variable needs a key.');
    const data = dataOf('vars', sentOf(given, wasSensitive));
    try {
      await (variable === undefined ? owner.create(data) : owner.update(variable.id, data));
    } catch (cause) {
      return setProblem(reasonOf(cause, 'It could not be stored.'));
    }
    say('ok', `${given.key} is stored. The next run gets it.`);
    onClose();
    await refresh(...owner.key);
  };
  return (
    <Dialog title={variable === undefined ? 'New variable' : `Edit ${variable.text('key')}`} onClose={onClose}>
      <Form class="form" onSubmit={save} noValidate>
        <TextField label="Key" required value={given.key} onValue={(key) => set({ key })} />
        <Text given={given} isKept={wasSensitive} onValue={(value) => set({ value })} />
        <SelectField
          label="Kind"
          value={given.category}
          options={[
            ['terraform', 'Of the engine'],
            ['env', 'Of the environment'],
          ]}
          onValue={(category) => set({ category })}
        />
        <TextField label="Description" value={given.description} onValue={(description) => set({ description })} />
        <CheckField
          label="Sensitive"
          hint={
            wasSensitive ? 'It stays sensitive: delete it to make it readable.' : 'Its value can be written, not read.'
          }
          locked={wasSensitive}
          value={given.sensitive}
          onValue={(sensitive) => set({ sensitive })}
        />
        <CheckField
          label="Expression"
          hint="The engine evaluates the value: a list, a map, a number."
          value={given.hcl}
          onValue={(hcl) => set({ hcl })}
        />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions end">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface ValueProps {
  readonly given: Given;
  readonly isKept: boolean;
  readonly onValue: (value: string) => void;
}

const Text = ({ given, isKept, onValue }: ValueProps) => (
  <TextField
    label="Value"
    type={given.sensitive ? 'password' : 'text'}
    multiline={!given.sensitive}
    placeholder={isKept ? 'Kept unless you type another' : undefined}
    autocomplete={given.sensitive ? 'new-password' : 'off'}
    value={given.value}
    onValue={onValue}
  />
);
