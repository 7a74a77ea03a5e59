import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { textOf } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { api } from '#ui/state/api.ts';

/** How a device shows a text in its log. The text leaves the field once it was sent. */
export function HashAudit({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const [input, setInput] = useState('');
  const [hash, setHash] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    try {
      const { data } = await api.call(system.hashAudit, { path }, { input });
      setHash(textOf(data, 'hash'));
      setInput('');
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be hashed.'));
    }
  };
  return (
    <Dialog title={`Find a text in ${path}/`} onClose={onClose}>
      <Form class="form" onSubmit={submit} noValidate>
        <TextField
          label="Text"
          hint="The log shows it as a hash, which you can search for."
          type="password"
          autocomplete="off"
          value={input}
          onValue={setInput}
        />
        {hash === '' ? null : (
          <div class="field" role="status">
            <span class="label">In the log</span>
            <code class="wrap">{hash}</code>
          </div>
        )}
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions end">
          <Button onPress={onClose}>Close</Button>
          <Button type="submit" look="primary" refusal={input === '' ? 'Type a text first.' : undefined}>
            Hash
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
