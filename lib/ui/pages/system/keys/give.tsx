import { useState } from 'preact/hooks';
import type { Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { api } from '#ui/state/api.ts';
import type { Rekeying } from './rekeying.ts';

interface GiveProps {
  readonly label: string;
  readonly operation: Rekeying['operations']['give' | 'verify'];
  readonly nonce: string;
  readonly given: number;
  readonly needed: number;
  /** Gets the reply to each share. */
  readonly onGiven: (reply: Value | undefined) => unknown;
}

/** Takes shares one by one. A share leaves the field once it was sent. */
export function Give({ label, operation, nonce, given, needed, onGiven }: GiveProps) {
  const [share, setShare] = useState('');
  const [problem, setProblem] = useState('');
  const send = async () => {
    setProblem('');
    const key = share.trim();
    setShare('');
    const reply = await api.call(operation, {}, { key, nonce }).catch((cause: unknown) => {
      setProblem(reasonOf(cause, 'It could not be sent.'));
      return undefined;
    });
    await onGiven(reply?.whole);
  };
  return (
    <Form class="form" onSubmit={send} noValidate>
      <div class="field">
        <span role="status">
          {given} of {needed} given
        </span>
        <div class="meter">
          <span style={{ width: `${needed === 0 ? 0 : (given / needed) * 100}%` }} />
        </div>
      </div>
      <TextField label={label} type="password" required value={share} onValue={setShare} />
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions">
        <Button type="submit" look="primary" refusal={share.trim() === '' ? 'Type a share first.' : undefined}>
          Give it
        </Button>
      </div>
    </Form>
  );
}
