import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { textOf } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { Remove } from '../described/remove.tsx';
import { Editor } from './editor.tsx';
import { type Mistake, mistakeOf } from './mistake.ts';
import { Tester } from './tester.tsx';

/** One policy with its editor and a tester of what is in the editor. Without a name, a new one. */
export function Policy({ name }: { readonly name: string | undefined }) {
  const asked = useQuery({
    key: ['policy', name ?? ''],
    ask: (options) => api.call(system.readPolicy, { name: name ?? '' }, undefined, options),
    enabled: name !== undefined,
  });
  return (
    <>
      <nav class="way" aria-label="Way back">
        <a href={accessUrl('policies')}>Policies</a>
      </nav>
      {name === undefined ? (
        <Edit name={undefined} stored={firstText} />
      ) : (
        <Answer asked={asked}>{({ data }) => <Edit name={name} stored={textOf(data, 'policy')} />}</Answer>
      )}
    </>
  );
}

const firstText = 'path "secret/data/app/*" {\n  capabilities = ["read"]\n}\n';
/** Their texts cannot be changed. */
const fixed: ReadonlySet<string> = new Set(['root', 'response-wrapping']);

function Edit({ name, stored }: { readonly name: string | undefined; readonly stored: string }) {
  const { route } = useLocation();
  const [given, setGiven] = useState('');
  const [text, setText] = useState(stored);
  const [mistake, setMistake] = useState<Mistake>();
  const [problem, setProblem] = useState('');
  const [found, setFound] = useState<ReadonlySet<number>>(new Set());
  const path = `sys/policies/acl/${name ?? (given || 'new')}`;
  const rights = useRights([`sys/policies/acl/${name ?? 'new'}`]);
  const isFixed = name !== undefined && fixed.has(name);
  const refusal = isFixed
    ? 'This policy is built in and cannot be changed.'
    : (rights.refusal('update', `sys/policies/acl/${name ?? 'new'}`) ??
      (name !== undefined && text === stored ? 'Nothing is changed.' : undefined));
  const type = (next: string) => {
    setText(next);
    setMistake(undefined);
    setFound(new Set());
  };
  const save = async (event: Event) => {
    event.preventDefault();
    setMistake(undefined);
    setProblem('');
    const to = (name ?? given).trim().toLowerCase();
    if (to === '') return setProblem('The policy needs a name.');
    try {
      const { warnings } = await api.call(system.writePolicy, { name: to }, { policy: text });
      say('ok', warnings.length === 0 ? `${to} is saved.` : `${to} is saved. ${warnings.join(' ')}`);
      await Promise.all([refresh('policies'), refresh('policy')]);
      if (name === undefined) route(accessUrl('policies', { key: to }));
    } catch (cause) {
      const told = mistakeOf(cause);
      setMistake(told);
      if (told === undefined) setProblem(reasonOf(cause, 'It could not be saved.'));
    }
  };
  const gone = async () => {
    say('ok', `${name} is deleted.`);
    route(accessUrl('policies'));
    await refresh('policies');
  };
  return (
    <>
      <div class="access-bar">
        <h2 class="wrap">{name ?? 'New policy'}</h2>
        {name === undefined || isFixed ? null : (
          <Remove
            noun="policy"
            name={name}
            path={path}
            consequence="Tokens that have it lose what it grants at once."
            onDone={gone}
          />
        )}
      </div>
      <form class="form" onSubmit={save} noValidate>
        {name === undefined ? (
          <TextField label="Name" required value={given} hint="In lower case." onValue={setGiven} />
        ) : null}
        <Editor
          label="Policy"
          hint="HCL or JSON. Capabilities: create, read, update, patch, delete, list, sudo, deny."
          value={text}
          locked={isFixed}
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
      </form>
      {name === 'root' ? null : (
        <Tester policy={text} onMistake={setMistake} onFound={(lines) => setFound(new Set(lines))} />
      )}
    </>
  );
}
