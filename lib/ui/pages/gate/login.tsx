import { useState } from 'preact/hooks';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf } from '#client/wire/json.ts';
import { SelectField, TextField } from '../../form/field.tsx';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { api, namespace } from '../../state/api.ts';
import { returned } from '../../state/returned.ts';
import { gate, login } from '../../state/session.ts';
import { useQuery } from '../../state/use-query.ts';
import { Codes, type Pending } from './codes.tsx';
import { type LoginMethod, loginMethods } from './methods.ts';
import { goToProvider } from './provider.ts';
import { Return } from './return.tsx';

export function Login() {
  const [pending, setPending] = useState<Pending>();
  const open = gate.value;
  if (!isSecureContext) return <Insecure />;
  return (
    <>
      {open.kind === 'login' && open.over ? (
        <p class="banner" role="status">
          Your session is over. Log in to go on where you were.
        </p>
      ) : null}
      {returned.value !== undefined ? (
        <Return onPending={setPending} />
      ) : pending === undefined ? (
        <LoginForm onPending={setPending} />
      ) : (
        <Codes pending={pending.login} namespace={pending.namespace} onBack={() => setPending(undefined)} />
      )}
    </>
  );
}

/** Without TLS, browsers say of no request where it comes from, so the server gives no session. */
const Insecure = () => (
  <div class="form">
    <h2>This address has no TLS</h2>
    <p>A session needs https, or an address of this machine such as http://127.0.0.1:8200. Open the page there.</p>
  </div>
);

/** The mounts whose listing is public; others can be typed. */
function useMounts(within: string): ReadonlyMap<string, string> | undefined {
  const { reply, failure } = useQuery({
    key: ['login-mounts', within],
    ask: (options) => api.ask({ method: 'GET', path: 'v1/sys/internal/ui/mounts' }, { ...options, namespace: within }),
  });
  if (reply === undefined && failure === undefined) return undefined;
  const auth = memberOf(reply?.data, 'auth');
  return new Map(
    isObject(auth) ? Object.entries(auth).map(([path, mount]) => [path, textOf(mount, 'type')] as const) : [],
  );
}

function LoginForm({ onPending }: { readonly onPending: (pending: Pending) => void }) {
  const [within, setWithin] = useState(namespace.value);
  const mounts = useMounts(within);
  const choices = choicesOf(mounts ?? new Map());
  const [chosen, setChosen] = useState<string>();
  const choice = choices.find(({ value }) => value === chosen) ?? choices[0];
  const [mount, setMount] = useState<string>();
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  // The choice must not change under the hands of the visitor.
  if (choice === undefined || (mounts === undefined && Object.keys(fields).length === 0)) return <Skeleton />;
  const { method } = choice;
  const submit = async () => {
    const given = {
      method: method.type,
      mount: choice.mount ?? mount ?? method.type,
      namespace: within,
      fields: present(method, fields),
    };
    try {
      if (method.isByProvider === true) {
        setProblem(await goToProvider({ ...given, role: given.fields['role'] ?? '' }));
        return;
      }
      const pending = await login(given);
      if (pending !== undefined) onPending({ login: pending, namespace: within });
    } catch (error) {
      setProblem(error instanceof CallFailure ? wordsOf(error) : 'The login failed.');
    }
  };
  return (
    <Form class="form" onSubmit={submit}>
      <SelectField
        label="Log in with"
        value={choice.value}
        options={choices.map(({ value, word }) => [value, word])}
        onValue={setChosen}
      />
      {method.fields.map(({ name, label, secret, optional, autocomplete }, at) => (
        <TextField
          key={`${method.type} ${name}`}
          label={label}
          value={fields[name] ?? ''}
          type={secret ? 'password' : 'text'}
          required={optional !== true}
          autocomplete={autocomplete}
          autofocus={at === 0}
          onValue={(value) => setFields((before) => ({ ...before, [name]: value }))}
        />
      ))}
      <More
        hasMount={method.type !== 'token' && choice.mount === undefined}
        {...{ within, setWithin, setMount }}
        mount={mount ?? method.type}
      />
      {problem === undefined ? null : <Problem text={problem} />}
      <Button type="submit" look="primary">
        {method.isByProvider === true ? 'Go on to the provider' : 'Log in'}
      </Button>
    </Form>
  );
}

interface MoreProps {
  readonly hasMount: boolean;
  readonly within: string;
  readonly setWithin: (path: string) => void;
  readonly mount: string;
  readonly setMount: (path: string) => void;
}

const More = ({ hasMount, within, setWithin, mount, setMount }: MoreProps) => (
  <details open={within !== ''}>
    <summary>More</summary>
    <div class="form">
      <TextField label="Namespace" hint="Empty for the root." value={within} onValue={setWithin} />
      {hasMount ? <TextField label="Mounted at" hint="Below auth/." value={mount} onValue={setMount} /> : null}
    </div>
  </details>
);

interface Choice {
  readonly value: string;
  readonly word: string;
  readonly method: LoginMethod;
  /** Undefined where it is typed. */
  readonly mount: string | undefined;
}

function choicesOf(mounts: ReadonlyMap<string, string>): readonly Choice[] {
  const listed = [...mounts].flatMap(([path, type]) => {
    const method = loginMethods.find((one) => one.type === type && type !== 'token');
    const mount = path.replace(/\/$/, '');
    return method === undefined ? [] : [{ value: `at ${path}`, word: `${method.word} (${mount})`, method, mount }];
  });
  return [
    ...listed,
    ...loginMethods.map((method) => ({ value: method.type, word: method.word, method, mount: undefined })),
  ];
}

const present = ({ fields }: LoginMethod, typed: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap(({ name, optional }) => {
      const value = (typed[name] ?? '').trim();
      return value === '' && optional === true ? [] : [[name, value]];
    }),
  );

function wordsOf(failure: CallFailure): string {
  if (failure.status === 403) return 'These credentials are not valid here.';
  return failure.message;
}
