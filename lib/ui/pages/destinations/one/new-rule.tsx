import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { counted } from '#ui/parts/relative.ts';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import { listIn } from '#ui/table/pages.ts';

interface NewRuleProps {
  readonly place: string;
  /** A write replaces a rule of the same name, which is not meant here. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

/** Stores a rule for one destination, after a look at what it would select. */
export function NewRule({ place, taken, onClose }: NewRuleProps) {
  const [given, setGiven] = useState({ name: '', mount: 'secret', prefix: '', glob: '' });
  const [survey, setSurvey] = useState<Value>();
  const [problem, setProblem] = useState('');
  const set = (change: Partial<typeof given>) => {
    setGiven({ ...given, ...change });
    setSurvey(undefined);
  };
  const { name, mount, prefix, glob } = given;
  const send = async (dryRun: boolean): Promise<Value | undefined> => {
    setProblem('');
    if (name === '') return void setProblem('The rule needs a name.');
    if (taken.includes(name)) return void setProblem('There is a rule with this name.');
    try {
      const fields = { mount, prefix, glob, destinations: [place], ...(dryRun ? { dry_run: true } : {}) };
      return (await api.call(sync.writeRule, { rule: name }, fields)).data ?? null;
    } catch (cause) {
      return void setProblem(reasonOf(cause, 'The rule could not be stored.'));
    }
  };
  const save = async () => {
    if ((await send(false)) === undefined) return;
    say('ok', `The rule ${name} is stored and looks at the secrets.`);
    onClose();
    await refresh('rules');
  };
  return (
    <Dialog title="New rule" onClose={onClose}>
      <Form class="form" onSubmit={save} noValidate>
        <TextField label="Name" required value={name} onValue={(value) => set({ name: value })} />
        <TextField label="Mount" required value={mount} onValue={(value) => set({ mount: value })} />
        <TextField
          label="Secrets begin with"
          value={prefix}
          hint="A slash alone selects the whole mount."
          onValue={(value) => set({ prefix: value })}
        />
        <TextField
          label="Secrets match"
          value={glob}
          hint="* within a folder, ** over folders. Empty: all."
          onValue={(value) => set({ glob: value })}
        />
        {problem === '' ? null : <Problem text={problem} />}
        {survey === undefined ? null : <Survey survey={survey} />}
        <div class="actions end">
          <Button icon="search" onPress={async () => setSurvey(await send(true))}>
            Dry run
          </Button>
          <Button type="submit" look="primary">
            Store rule
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Survey({ survey }: { readonly survey: Value }) {
  const first = listIn(survey, 'set');
  const selected = Number(textOf(survey, 'selected') || 0);
  return (
    <div role="status">
      <p>
        It selects {memberOf(survey, 'exact') === false ? 'at least ' : ''}
        {counted(selected, 'secret')} and would set {counted(Number(textOf(survey, 'would_set') || 0), 'association')}.
      </p>
      <ul class="quiet">
        {first.slice(0, 5).map((one) => (
          <li key={textOf(one, 'secret_name')} class="wrap">
            {textOf(one, 'secret_name')}
          </li>
        ))}
      </ul>
    </div>
  );
}
