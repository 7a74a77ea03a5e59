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
import { Editor } from '../policies/editor.tsx';
import { type Mistake, mistakeOf } from '../policies/mistake.ts';
import { Sample } from './sample.tsx';

interface EditProps {
  /** Undefined for a new one. */
  readonly name: string | undefined;
  readonly stored: string;
}

const noLines: ReadonlySet<number> = new Set();

/** The text of a password policy, with a sample of what it makes. */
export function EditPasswords({ name, stored }: EditProps) {
  const [given, setGiven] = useState('');
  const [edited, setEdited] = useState<string>();
  const text = edited ?? stored;
  const { mistake, problem, setMistake, save } = useSaving({ name, given, text, onSaved: () => setEdited(undefined) });
  const path = `sys/policies/password/${name ?? 'new'}`;
  const rights = useRights([path]);
  const isSame = name !== undefined && text === stored;
  return (
    <>
      <Title name={name} />
      <Form class="form" onSubmit={save} noValidate>
        {name === undefined ? (
          <TextField label="Name" required value={given} hint="In lower case." onValue={setGiven} />
        ) : null}
        <Editor
          label="Rules"
          hint="HCL or JSON: a length of 4 to 100, and for each charset how many of its characters there are at least."
          value={text}
          locked={false}
          mistake={mistake}
          found={noLines}
          onValue={(next) => {
            setEdited(next === stored ? undefined : next);
            setMistake(undefined);
          }}
        />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button
            type="submit"
            look="primary"
            refusal={rights.refusal('update', path) ?? (isSame ? 'Nothing is changed.' : undefined)}
          >
            {name === undefined ? 'Create' : 'Save changes'}
          </Button>
        </div>
      </Form>
      {name === undefined ? null : <Sample name={name} isEdited={!isSame} />}
    </>
  );
}

interface Saving extends Pick<EditProps, 'name'> {
  readonly given: string;
  readonly text: string;
  readonly onSaved: () => void;
}

/** Stores the text, or says where its mistake is. */
function useSaving({ name, given, text, onSaved }: Saving) {
  const { route } = useLocation();
  const [mistake, setMistake] = useState<Mistake>();
  const [problem, setProblem] = useState('');
  const save = async () => {
    setMistake(undefined);
    setProblem('');
    const to = name ?? given.trim().toLowerCase();
    if (to === '') return setProblem('The password policy needs a name.');
    try {
      await api.call(system.writePasswordPolicy, { name: to }, { policy: text });
    } catch (cause) {
      const told = mistakeOf(cause);
      setMistake(told);
      if (told === undefined) setProblem(reasonOf(cause, 'It could not be saved.'));
      return;
    }
    say('ok', `${to} is saved.`);
    await Promise.all([refresh('password-policies'), refresh('password-policy')]);
    onSaved();
    if (name === undefined) route(accessUrl('passwords', { key: to }));
  };
  return { mistake, problem, setMistake, save };
}

function Title({ name }: Pick<EditProps, 'name'>) {
  const { route } = useLocation();
  const gone = async () => {
    say('ok', `${name} is deleted.`);
    route(accessUrl('passwords'));
    await refresh('password-policies');
  };
  return (
    <div class="access-bar">
      <h2 class="wrap">{name ?? 'New password policy'}</h2>
      {name === undefined ? null : (
        <Remove
          noun="password policy"
          name={name}
          path={`sys/policies/password/${name}`}
          consequence="Nothing can generate passwords by it any more. Passwords that it made stay as they are."
          onDone={gone}
        />
      )}
    </div>
  );
}
