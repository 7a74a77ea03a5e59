import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { isObject, memberOf, type Value } from '#client/wire/json.ts';
import { Generated } from '#ui/form/generated.tsx';
import { asTyped, groupsOf, sentOf, type Typed } from '#ui/form/shape.ts';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem } from '#ui/parts/problem.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { CheckReport, useCheck } from '../check/check.tsx';
import { folded } from './new.tsx';
import { refusalOf } from './save.ts';

interface SettingsProps {
  readonly type: string;
  readonly name: string;
  readonly stored: Value;
}

/** The settings of a destination. Only what changed is sent; masked values stay unless others are typed. */
export function Settings({ type, name, stored }: SettingsProps) {
  const asked = useQuery({
    key: ['type', type],
    ask: (options) => api.call(sync.describeType, { type }, undefined, options),
  });
  return (
    <Answer asked={asked}>{({ data }) => <SettingsForm {...{ type, name, stored }} described={data ?? null} />}</Answer>
  );
}

/** The values as they are typed. Sensitive fields are empty: a mask is not a value. */
function typedOf(stored: Value, described: Value): Typed {
  const flat = new Map<string, Value | undefined>();
  for (const part of ['connection_details', 'options']) {
    const members = memberOf(stored, part);
    if (isObject(members)) for (const [key, value] of Object.entries(members)) flat.set(key, value);
  }
  flat.set('granularity', flat.get('granularity_level'));
  for (const key of ['disabled', 'disabled_until']) flat.set(key, memberOf(stored, key));
  const fields = groupsOf(described).flatMap((group) => group.fields);
  return Object.fromEntries(
    fields.map(({ name, sensitive, type }) => [
      name,
      sensitive ? '' : asTyped(flat.get(name) ?? (type === 'boolean' ? false : undefined)),
    ]),
  );
}

function SettingsForm({ type, name, stored, described }: SettingsProps & { readonly described: Value }) {
  const groups = groupsOf(described);
  const [before, setBefore] = useState(() => typedOf(stored, described));
  const [typed, setTyped] = useState(before);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [rest, setRest] = useState('');
  const path = `sys/sync/destinations/${type}/${name}`;
  const rights = useRights([path, `${path}/check`]);
  const check = useCheck(type, name);
  const sent = sentOf(groups, typed, before);
  const isSame = Object.keys(sent.body).length === 0 && Object.keys(sent.problems).length === 0;
  const attempt = async (work: () => Promise<unknown>) => {
    setRest('');
    setProblems(sent.problems);
    if (Object.keys(sent.problems).length > 0) return;
    await work().catch((cause: unknown) => {
      const refusal = refusalOf(cause, groups);
      setProblems(refusal.problems);
      setRest(refusal.rest);
    });
  };
  const save = async () => {
    if (isSame) return;
    await attempt(async () => {
      const reply = await api.call(sync.patchDestination, { type, name }, sent.body);
      const fresh = typedOf(reply.data ?? null, described);
      setBefore(fresh);
      setTyped(fresh);
      say('ok', 'The settings are saved. All its records are brought in line.');
      await Promise.all([refresh('destination'), refresh('overview')]);
    });
  };
  return (
    <Form class="form narrow" onSubmit={save} noValidate>
      <Generated
        {...{ groups, typed, problems, folded }}
        isStored
        onTyped={(field, value) => setTyped((now) => ({ ...now, [field]: value }))}
      />
      {rest === '' ? null : <Problem text={rest} />}
      {check.report === undefined ? null : <CheckReport report={check.report} />}
      <div class="actions">
        <Button
          type="submit"
          look="primary"
          refusal={rights.refusal('patch', path) ?? (isSame ? 'Nothing is changed.' : undefined)}
        >
          Save changes
        </Button>
        <Button
          icon="check"
          refusal={rights.refusal(isSame ? 'read' : 'update', `${path}/check`)}
          onPress={() => attempt(() => check.run(sent.body))}
        >
          {isSame ? 'Check' : 'Check with these settings'}
        </Button>
        {isSame ? null : (
          <Button look="plain" onPress={() => setTyped(before)}>
            Discard
          </Button>
        )}
      </div>
    </Form>
  );
}
