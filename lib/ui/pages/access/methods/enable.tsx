import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { textsOf } from '#client/wire/json.ts';
import { SelectField, TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';

/** Mounts a method of one of the types that the server has. */
export function EnableMethod() {
  const asked = useQuery({
    key: ['auth-types'],
    ask: (options) => api.call(system.plugins, {}, undefined, options),
  });
  return (
    <>
      <nav class="way" aria-label="Way back">
        <a href={accessUrl('methods')}>Auth methods</a>
      </nav>
      <h2>Enable a method</h2>
      <Answer asked={asked}>{({ data }) => <EnableForm types={textsOf(data, 'auth')} />}</Answer>
    </>
  );
}

function EnableForm({ types }: { readonly types: readonly string[] }) {
  const { route } = useLocation();
  const [given, setGiven] = useState({ type: types[0] ?? '', path: types[0] ?? '', description: '', shown: '' });
  const [problem, setProblem] = useState('');
  const { type, path, description, shown } = given;
  const at = `sys/auth/${path || 'new'}`;
  const rights = useRights([at]);
  const enable = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    const to = path.trim().replace(/\/+$/, '');
    if (to === '') return setProblem('The method needs a path.');
    try {
      const config = shown === '' ? {} : { listing_visibility: shown };
      await api.call(system.enableAuth, { path: to }, { type, description, config });
      say('ok', `${to} is enabled.`);
      await refresh('auth-mounts');
      route(accessUrl('methods', { mount: to }));
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be enabled.'));
    }
  };
  return (
    <Form class="form narrow" onSubmit={enable} noValidate>
      <div class="card">
        <div class="inside form">
          <SelectField
            label="Type"
            value={type}
            options={types.map((one) => [one, one] as const)}
            onValue={(next) => setGiven({ ...given, type: next, path: path === type ? next : path })}
          />
          <TextField
            label="Path"
            required
            value={path}
            hint="Logins go to auth/ and this path."
            onValue={(next) => setGiven({ ...given, path: next })}
          />
          <TextField
            label="Description"
            value={description}
            onValue={(next) => setGiven({ ...given, description: next })}
          />
          <SelectField
            label="On the login page"
            value={shown}
            options={[
              ['', 'Only for those who type its path'],
              ['unauth', 'Offered to everyone'],
            ]}
            onValue={(next) => setGiven({ ...given, shown: next })}
          />
        </div>
      </div>
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions">
        <Button type="submit" look="primary" refusal={rights.refusal('sudo', at)}>
          Enable
        </Button>
      </div>
    </Form>
  );
}
