import { useState } from 'preact/hooks';
import { CallFailure } from '#client/wire/failure.ts';
import { TextField } from '../../form/field.tsx';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { type PendingLogin, sendCodes } from '../../state/session.ts';

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

/** The codes of the second factors that a login waits for. */
export function Codes({ pending, namespace, onBack }: CodesProps) {
  const [codes, setCodes] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    await sendCodes(pending, codes, namespace).catch((error: unknown) =>
      setProblem(error instanceof CallFailure ? error.message : 'The code could not be checked.'),
    );
  };
  return (
    <Form class="form" onSubmit={submit}>
      <h2>Second factor</h2>
      {pending.methods.map(({ id, type }, at) => (
        <TextField
          key={id}
          label={pending.methods.length > 1 ? `Code (${type} ${at + 1})` : 'Code'}
          hint="Of the app that shows the codes."
          autocomplete="one-time-code"
          autofocus={at === 0}
          value={codes[id] ?? ''}
          onValue={(code) => setCodes((before) => ({ ...before, [id]: code.trim() }))}
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
