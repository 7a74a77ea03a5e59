import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { textOf } from '#client/wire/json.ts';
import { Button } from '#ui/parts/button.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';

interface SampleProps {
  readonly name: string;
  /** The text in the editor is not the stored one, of which samples are made. */
  readonly isEdited: boolean;
}

/** A password that the stored rules make. The server keeps none of them. */
export function Sample({ name, isEdited }: SampleProps) {
  const [sample, setSample] = useState('');
  const [problem, setProblem] = useState('');
  const path = `sys/policies/password/${name}/generate`;
  const rights = useRights([path]);
  const refusal = rights.refusal('read', path) ?? (isEdited ? 'Save the changes first.' : undefined);
  const generate = async () => {
    setProblem('');
    await api.call(system.generatePassword, { name }).then(
      ({ data }) => setSample(textOf(data, 'password')),
      (cause: unknown) => {
        setSample('');
        setProblem(reasonOf(cause, 'No password could be generated.'));
      },
    );
  };
  return (
    <section class="card" aria-label="Sample">
      <header>
        <h2>Sample</h2>
        <Button small icon="spin" refusal={refusal} onPress={generate}>
          Generate
        </Button>
      </header>
      <div class="inside form">
        <div role="status">
          {sample === '' ? (
            <p class="quiet">A password that these rules make. It is not stored.</p>
          ) : (
            <pre class="plain-value">{sample}</pre>
          )}
        </div>
        {problem === '' ? null : <Problem text={problem} />}
      </div>
    </section>
  );
}
