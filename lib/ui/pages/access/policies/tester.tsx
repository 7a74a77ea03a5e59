import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { parseJson, textOf, type Value } from '#client/wire/json.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { listIn } from '#ui/table/pages.ts';
import { type Mistake, mistakeOf } from '../written/mistake.ts';
import { Verdict } from './verdict.tsx';

interface TesterProps {
  /** The text in the editor; undefined to test tokens only. */
  readonly policy: string | undefined;
  readonly onMistake?: (mistake: Mistake | undefined) => void;
  /** Lines of the editor with the rule that decides. */
  readonly onFound?: (lines: readonly number[]) => void;
}

type Whose = 'policy' | 'self' | 'accessor';

interface Given {
  readonly path: string;
  readonly capability: string;
  readonly accessor: string;
  readonly parameters: string;
}

const path = 'sys/policies/test';
const capabilities = ['read', 'list', 'create', 'update', 'patch', 'delete'] as const;

/** May this token do that, and which rule says so? Nothing is called but the test. */
export function Tester({ policy, onMistake, onFound }: TesterProps) {
  const [given, setGiven] = useState<Given>({ path: '', capability: 'read', accessor: '', parameters: '' });
  const [whose, choose] = useState<Whose>(policy === undefined ? 'self' : 'policy');
  const [verdict, setVerdict] = useState<Value>();
  const [problem, setProblem] = useState('');
  const rights = useRights([path]);
  const set = (change: Partial<Given>) => {
    setGiven({ ...given, ...change });
    setVerdict(undefined);
  };
  const setWhose = (next: Whose) => {
    choose(next);
    setVerdict(undefined);
  };
  const test = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    setVerdict(undefined);
    onMistake?.(undefined);
    try {
      const { data } = await api.call(system.testPolicy, {}, fieldsOf(given, whose, policy));
      setVerdict(data ?? null);
      const policies = whose === 'policy' ? listIn(data, 'rule', 'policies') : [];
      onFound?.(policies.map((one) => Number(textOf(one, 'line'))));
    } catch (cause) {
      const told = mistakeOf(cause);
      if (told !== undefined && onMistake !== undefined) onMistake(told);
      else setProblem(cause instanceof SyntaxError ? cause.message : reasonOf(cause, 'It could not be tested.'));
    }
  };
  return (
    <section class="card" aria-label="Test">
      <header>
        <h2>Who may do that, and which rule says so</h2>
      </header>
      <Form class="inside form" onSubmit={test} noValidate>
        <Question isEditing={policy !== undefined} {...{ given, whose, set, setWhose }} />
        <details>
          <summary>Parameters of the request</summary>
          <div class="form">
            <TextField
              label="Parameters"
              multiline
              value={given.parameters}
              hint='A JSON object such as {"ttl": "1h"}. Rules about parameters compare them as they are here.'
              onValue={(parameters) => set({ parameters })}
            />
          </div>
        </details>
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button type="submit" icon="check" refusal={rights.refusal('update', path)}>
            Test
          </Button>
        </div>
        <div role="status">{verdict === undefined ? null : <Verdict verdict={verdict} />}</div>
      </Form>
    </section>
  );
}

interface QuestionProps {
  readonly given: Given;
  readonly whose: Whose;
  readonly isEditing: boolean;
  readonly set: (change: Partial<Given>) => void;
  readonly setWhose: (whose: Whose) => void;
}

function Question({ given, whose, isEditing, set, setWhose }: QuestionProps) {
  return (
    <div class="access-test">
      <SelectField
        label="Capability"
        value={given.capability}
        options={capabilities.map((one) => [one, one] as const)}
        onValue={(capability) => set({ capability })}
      />
      <TextField
        label="Path"
        required
        value={given.path}
        placeholder="secret/data/app/db"
        onValue={(next) => set({ path: next })}
      />
      <SelectField
        label="For"
        value={whose}
        options={isEditing ? [['policy', 'The text above'], ...tokens] : tokens}
        onValue={(value) => setWhose(value as Whose)}
      />
      {whose === 'accessor' ? (
        <TextField label="Accessor" value={given.accessor} onValue={(accessor) => set({ accessor })} />
      ) : null}
    </div>
  );
}

const tokens: readonly (readonly [string, string])[] = [
  ['self', 'Your own token'],
  ['accessor', 'The token with an accessor'],
];

/** @throws SyntaxError when the parameters are not JSON */
function fieldsOf(given: Given, whose: Whose, policy: string | undefined) {
  const parameters = given.parameters.trim() === '' ? undefined : parametersIn(given.parameters);
  const common = { path: given.path.trim().replace(/^\/?v1\//, ''), capability: given.capability, parameters };
  if (whose === 'policy') return { ...common, policy };
  return whose === 'accessor' ? { ...common, accessor: given.accessor.trim() } : common;
}

function parametersIn(text: string): Value {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new SyntaxError('The parameters are not JSON.', { cause });
  }
}
