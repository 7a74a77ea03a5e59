import { useState } from 'preact/hooks';
import { CallFailure } from '#client/wire/failure.ts';
import type { Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Generated } from '#ui/form/generated.tsx';
import type { FieldShape, Typed } from '#ui/form/shape.ts';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem } from '#ui/parts/problem.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { encodedPath } from '../address.ts';
import { fieldsOf, groupOf, replacesOf, sentFields, typedOf } from './fields.ts';

interface FormProps {
  readonly title: string;
  /** Below `/v1/`: where the form is described, and where it is sent. */
  readonly path: string;
  /** What is stored; undefined for something new. */
  readonly stored?: Value | undefined;
  readonly hidden?: readonly string[] | undefined;
  /** The new thing has a name, which is a part of its path. */
  readonly named?: string | undefined;
  readonly submit: string;
  readonly onSaved: (reply: Value | undefined, name: string) => unknown;
}

const unfolded: ReadonlySet<string> = new Set();

/** A form of whatever fields the OpenAPI document has for a path. */
export function Described(props: FormProps) {
  const at = props.named === undefined ? props.path : `${props.path}/new`;
  const asked = useQuery({
    key: ['help', at],
    ask: ({ signal }) => api.ask({ method: 'GET', path: `v1/${encodedPath(at)}`, query: { help: '1' } }, { signal }),
  });
  return (
    <Answer asked={asked}>
      {({ whole }) => (
        <Fields key={at} {...props} fields={fieldsOf(whole, props.hidden)} replaces={replacesOf(whole)} />
      )}
    </Answer>
  );
}

interface FieldsProps extends FormProps {
  readonly fields: readonly FieldShape[];
  /** A write replaces everything, so everything is sent. */
  readonly replaces: boolean;
}

function Fields(props: FieldsProps) {
  const { title, path, stored, replaces, named, submit, fields, onSaved } = props;
  const before = stored === undefined ? undefined : typedOf(fields, stored);
  const [name, setName] = useState('');
  // Only what was typed is kept here: the page may ask for the stored values again at any time.
  const [edits, setEdits] = useState<Typed>({});
  const typed: Typed = { ...before, ...edits };
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [rest, setRest] = useState('');
  const at = named === undefined ? path : `${path}/${name || 'new'}`;
  const sent = sentFields(fields, typed, replaces ? undefined : before);
  const isSame = before !== undefined && fields.every((one) => (typed[one.name] ?? '') === (before[one.name] ?? ''));
  const probe = named === undefined ? path : `${path}/new`;
  const rights = useRights([probe]);
  const refusal = stored === undefined && rights.may('create', probe) ? undefined : rights.refusal('update', probe);
  const save = async (event: Event) => {
    event.preventDefault();
    setRest('');
    const wrong = named !== undefined && name === '' ? { '': `${named} is required.` } : {};
    setProblems({ ...sent.problems, ...wrong });
    if (Object.keys({ ...sent.problems, ...wrong }).length > 0) return;
    try {
      const reply = await api.ask({ method: 'POST', path: `v1/${encodedPath(at)}`, body: sent.body });
      await onSaved(reply.whole, name);
      setEdits({});
    } catch (cause) {
      const told = refusalOf(cause, fields);
      setProblems(told.problems);
      setRest(told.rest);
    }
  };
  return (
    <Form class="form narrow" onSubmit={save} noValidate>
      {named === undefined ? null : (
        <div class="card">
          <div class="inside">
            <TextField label={named} required value={name} problem={problems['']} onValue={setName} />
          </div>
        </div>
      )}
      {replaces && stored !== undefined && fields.some(({ sensitive }) => sensitive) ? (
        <p class="quiet">Saving replaces all settings. Fields that are never shown have to be typed again.</p>
      ) : null}
      {fields.length === 0 ? null : (
        <Generated
          groups={groupOf(title, fields)}
          typed={typed}
          problems={problems}
          folded={unfolded}
          isStored={stored !== undefined && !replaces}
          onTyped={(field, value) => setEdits((now) => ({ ...now, [field]: value }))}
        />
      )}
      {rest === '' ? null : <Problem text={rest} />}
      <div class="actions">
        <Button type="submit" look="primary" refusal={refusal ?? (isSame ? 'Nothing is changed.' : undefined)}>
          {submit}
        </Button>
      </div>
    </Form>
  );
}

function refusalOf(cause: unknown, fields: readonly FieldShape[]) {
  if (!(cause instanceof CallFailure)) return { problems: {}, rest: 'It could not be saved.' };
  const known = new Set(fields.map(({ name }) => name));
  const own = cause.problems.filter(({ field }) => known.has(field));
  const problems = Object.fromEntries(own.map(({ field, message }) => [field, message]));
  return { problems, rest: own.length > 0 ? '' : cause.message };
}
