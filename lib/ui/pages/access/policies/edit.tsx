import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { Remove } from '../described/remove.tsx';
import { Editor } from './editor.tsx';
import { type Mistake, mistakeOf } from './mistake.ts';
import { Tester } from './tester.tsx';

interface EditProps {
  /** Undefined for a new policy. */
  readonly name: string | undefined;
  readonly stored: string;
}

/** Their texts cannot be changed. */
const fixed: ReadonlySet<string> = new Set(['root', 'response-wrapping']);

export function Edit({ name, stored }: EditProps) {
  const [given, setGiven] = useState('');
  // Only an edit is kept here: the page may ask for the stored text again at any time.
  const [edited, setEdited] = useState<string>();
  const text = edited ?? stored;
  const [found, setFound] = useState<ReadonlySet<number>>(new Set());
  const { mistake, problem, setMistake, save } = useSaving({ name, given, text, onSaved: () => setEdited(undefined) });
  const refusal = useRefusal(name, text === stored);
  const type = (next: string) => {
    setEdited(next === stored ? undefined : next);
    setMistake(undefined);
    setFound(new Set());
  };
  return (
    <>
      <Title name={name} />
      <Form class="form" onSubmit={save} noValidate>
        {name === undefined ? (
          <TextField label="Name" required value={given} hint="In lower case." onValue={setGiven} />
        ) : null}
        <Editor
          label="Policy"
          hint="HCL or JSON. Capabilities: create, read, update, patch, delete, list, sudo, deny."
          value={text}
          locked={name !== undefined && fixed.has(name)}
          mistake={mistake}
          found={found}
          onValue={type}
        />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button type="submit" look="primary" refusal={refusal}>
            {name === undefined ? 'Create' : 'Save changes'}
          </Button>
          {text === stored || name === undefined ? null : (
            <Button look="plain" onPress={() => type(stored)}>
              Discard
            </Button>
          )}
        </div>
      </Form>
      {name === 'root' ? null : (
        <Tester policy={text} onMistake={setMistake} onFound={(lines) => setFound(new Set(lines))} />
      )}
    </>
  );
}

function useRefusal(name: string | undefined, isSame: boolean): string | undefined {
  const path = `sys/policies/acl/${name ?? 'new'}`;
  const rights = useRights([path]);
  if (name !== undefined && fixed.has(name)) return 'This policy is built in and cannot be changed.';
  return rights.refusal('update', path) ?? (name !== undefined && isSame ? 'Nothing is changed.' : undefined);
}

interface Saving {
  readonly name: string | undefined;
  readonly given: string;
  readonly text: string;
  readonly onSaved: () => void;
}

/** Stores the text, or says where its mistake is. */
function useSaving({ name, given, text, onSaved }: Saving) {
  const { route } = useLocation();
  const [mistake, setMistake] = useState<Mistake>();
  const [problem, setProblem] = useState('');
  const save = async (event: Event) => {
    event.preventDefault();
    setMistake(undefined);
    setProblem('');
    const to = name ?? given.trim().toLowerCase();
    if (to === '') return setProblem('The policy needs a name.');
    try {
      const { warnings } = await api.call(system.writePolicy, { name: to }, { policy: text });
      say('ok', [`${to} is saved.`, ...warnings].join(' '));
      await Promise.all([refresh('policies'), refresh('policy')]);
      onSaved();
      if (name === undefined) route(accessUrl('policies', { key: to }));
    } catch (cause) {
      const told = mistakeOf(cause);
      setMistake(told);
      if (told === undefined) setProblem(reasonOf(cause, 'It could not be saved.'));
    }
  };
  return { mistake, problem, setMistake, save };
}

function Title({ name }: { readonly name: string | undefined }) {
  const { route } = useLocation();
  const gone = async () => {
    say('ok', `${name} is deleted.`);
    route(accessUrl('policies'));
    await refresh('policies');
  };
  return (
    <div class="access-bar">
      <h2 class="wrap">{name ?? 'New policy'}</h2>
      {name === undefined || fixed.has(name) ? null : (
        <Remove
          noun="policy"
          name={name}
          path={`sys/policies/acl/${name}`}
          refusal={name === 'default' ? 'This policy is built in: it can be changed, not deleted.' : undefined}
          consequence="Tokens that have it lose what it grants at once."
          onDone={gone}
        />
      )}
    </div>
  );
}
