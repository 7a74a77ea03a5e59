import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Generated } from '#ui/form/generated.tsx';
import { type GroupShape, groupsOf, sentOf, type Typed } from '#ui/form/shape.ts';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem } from '#ui/parts/problem.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { useTitle } from '#ui/state/use-title.ts';
import { CheckReport, useCheck } from '../check/check.tsx';
import { refusalOf } from './save.ts';

/** All types come from the server, so another type needs nothing here. */
export function NewDestination({ type }: { readonly type?: string }) {
  useTitle('New destination');
  const asked = useQuery({ key: ['types'], ask: (options) => api.call(sync.describeTypes, {}, undefined, options) });
  return (
    <>
      <div class="head">
        <div>
          <h1>New destination</h1>
          <p>{type === undefined ? 'Choose the kind of system.' : 'Nothing is called before you check or save.'}</p>
        </div>
        {type === undefined ? null : <LinkButton href="/ui/destinations/new">Another kind</LinkButton>}
      </div>
      <Answer asked={asked}>
        {({ data }) => {
          const types = memberOf(data, 'types');
          const list: readonly Value[] = Array.isArray(types) ? types : [];
          const chosen = list.find((one) => textOf(one, 'type') === type);
          return chosen === undefined ? <Types list={list} /> : <NewForm key={type} described={chosen} />;
        }}
      </Answer>
    </>
  );
}

const Types = ({ list }: { readonly list: readonly Value[] }) => (
  <ul class="types">
    {list.map((one) => (
      <li key={textOf(one, 'type')}>
        <a class="card" href={`/ui/destinations/new/${encodeURIComponent(textOf(one, 'type'))}`}>
          <h2>{textOf(one, 'title')}</h2>
          <span class="quiet">{textOf(one, 'type')}</span>
        </a>
      </li>
    ))}
  </ul>
);

/** Groups that most destinations leave as they are. */
export const folded: ReadonlySet<string> = new Set(['objects', 'names', 'pause', 'addresses', 'network']);

function NewForm({ described }: { readonly described: Value }) {
  const { route } = useLocation();
  const type = textOf(described, 'type');
  const groups = groupsOf(described);
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<Typed>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [rest, setRest] = useState('');
  const path = `sys/sync/destinations/${type}/${name || 'new'}`;
  const rights = useRights([path, `${path}/check`]);
  const check = useCheck(type, name || 'new');
  const fail = (cause: unknown) => {
    const refusal = refusalOf(cause, groups);
    setProblems(refusal.problems);
    setRest(refusal.rest);
  };
  const body = (): Readonly<Record<string, Value>> | undefined => valid(groups, typed, name, setProblems);
  const save = async () => {
    setRest('');
    const sent = body();
    if (sent === undefined) return;
    try {
      await api.call(sync.writeDestination, { type, name }, sent);
      await refresh('overview');
      say('ok', `${name} is created.`);
      route(`/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`);
    } catch (cause) {
      fail(cause);
    }
  };
  const test = async () => {
    const sent = body();
    if (sent !== undefined) await check.run(sent).catch(fail);
  };
  return (
    <Form class="form narrow" onSubmit={save} noValidate>
      <div class="card">
        <div class="inside">
          <TextField
            label="Name"
            required
            value={name}
            problem={problems['name']}
            hint="By which you find it here."
            onValue={setName}
          />
        </div>
      </div>
      <Generated
        {...{ groups, typed, problems, folded }}
        isStored={false}
        onTyped={(field, value) => setTyped((before) => ({ ...before, [field]: value }))}
      />
      {rest === '' ? null : <Problem text={rest} />}
      {check.report === undefined ? null : <CheckReport report={check.report} />}
      <div class="actions">
        <Button type="submit" look="primary" refusal={name === '' ? undefined : rights.refusal('create', path)}>
          Create
        </Button>
        <Button
          icon="check"
          refusal={name === '' ? undefined : rights.refusal('update', `${path}/check`)}
          onPress={test}
        >
          Check
        </Button>
      </div>
    </Form>
  );
}

function valid(
  groups: readonly GroupShape[],
  typed: Typed,
  name: string,
  setProblems: (problems: Readonly<Record<string, string>>) => void,
): Readonly<Record<string, Value>> | undefined {
  const { body, problems } = sentOf(groups, typed, undefined);
  const all = name === '' ? { ...problems, name: 'Name is required.' } : problems;
  setProblems(all);
  return Object.keys(all).length > 0 ? undefined : body;
}
