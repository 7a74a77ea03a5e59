import { useState } from 'preact/hooks';
import { SelectField, TextField } from '../../form/field.tsx';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { type Constraint, type PendingLogin, sendCodes } from '../../state/session.ts';

/** A login that waits for codes, and where it is. */
export interface Pending {
  readonly login: PendingLogin;
  readonly namespace: string;
}

interface CodesProps {
  readonly pending: PendingLogin;
  readonly namespace: string;
  readonly onBack: () => void;
}

/** Which method a constraint is met with, and its code. */
interface Given {
  readonly method: string;
  readonly code: string;
}

/** The codes of the second factors that a login waits for: one for each constraint, of a method that the visitor chooses. */
export function Codes({ pending: { id, constraints }, namespace, onBack }: CodesProps) {
  const [given, setGiven] = useState<Readonly<Record<string, Given>>>({});
  const [problem, setProblem] = useState<string>();
  const givenFor = ({ name, methods }: Constraint): Given => given[name] ?? { method: methods[0]?.id ?? '', code: '' };
  const all = constraints.map(givenFor);
  /** One code of a method counts for all constraints that it is chosen for. */
  const isRepeated = (at: number) => all.findIndex(({ method }) => method === all[at]?.method) < at;
  const submit = async () => {
    const codes = Object.fromEntries(
      all.filter((_given, at) => !isRepeated(at)).map(({ method, code }) => [method, code]),
    );
    await sendCodes(id, codes, namespace).catch((cause: unknown) =>
      setProblem(reasonOf(cause, 'The code could not be checked.')),
    );
  };
  return (
    <Form class="form" onSubmit={submit}>
      <h2>Second factor</h2>
      {constraints.map((constraint, at) => (
        <CodeOf
          key={constraint.name}
          constraint={constraint}
          isAlone={constraints.length === 1}
          isFirst={at === 0}
          isRepeated={isRepeated(at)}
          given={givenFor(constraint)}
          onGiven={(one) => setGiven((before) => ({ ...before, [constraint.name]: one }))}
        />
      ))}
      {problem === undefined ? null : <Problem text={problem} />}
      <Button type="submit" look="primary">
        Log in
      </Button>
      <Button look="plain" onPress={onBack}>
        Back
      </Button>
    </Form>
  );
}

interface CodeProps {
  readonly constraint: Constraint;
  readonly isAlone: boolean;
  readonly isFirst: boolean;
  readonly isRepeated: boolean;
  readonly given: Given;
  readonly onGiven: (given: Given) => void;
}

function CodeOf({ constraint: { name, methods }, isAlone, isFirst, isRepeated, given, onGiven }: CodeProps) {
  const chosen = methods.find(({ id }) => id === given.method);
  return (
    <>
      {methods.length < 2 ? null : (
        <SelectField
          label={isAlone ? 'Method' : `Method for ${name}`}
          value={given.method}
          options={methods.map((method) => [method.id, method.name] as const)}
          onValue={(method) => onGiven({ method, code: '' })}
        />
      )}
      {isRepeated ? null : (
        <TextField
          label={isAlone ? 'Code' : `Code for ${name}`}
          hint={`Of the app that shows the codes of ${chosen?.name ?? name}.`}
          autocomplete="one-time-code"
          autofocus={isFirst}
          value={given.code}
          onValue={(code) => onGiven({ ...given, code: code.trim() })}
        />
      )}
    </>
  );
}
