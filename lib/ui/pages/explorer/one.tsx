import { useMemo, useState } from 'preact/hooks';
import { Generated } from '../../form/generated.tsx';
import type { Typed } from '../../form/shape.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { formOf } from './document/fields.ts';
import { withoutSecrets } from './document/lines.ts';
import { requestOf } from './document/request.ts';
import type { Row } from './document/rows.ts';
import { Lines } from './lines.tsx';
import { Method } from './method.tsx';
import { type Answered, Reply, send } from './reply.tsx';
import { useRefusal } from './why.ts';

/** One row: its form, the lines of what it sends, and the reply. */
export function One({ row, back }: { readonly row: Row; readonly back: string }) {
  const groups = useMemo(() => formOf(row), [row]);
  const [typed, setTyped] = useState<Typed>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [isAsking, setAsking] = useState(false);
  const [answered, setAnswered] = useState<Answered>();
  const [failed, setFailed] = useState('');
  const made = requestOf(row, groups, typed);
  const refusal = useRefusal(row, made);
  const sendIt = async () => {
    setAsking(false);
    setFailed('');
    setAnswered(undefined);
    await send(made.request).then(setAnswered, (cause: unknown) =>
      setFailed(reasonOf(cause, 'The request could not be sent.')),
    );
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblems(made.problems);
    if (Object.keys(made.problems).length > 0) return;
    if (row.method === 'GET') await sendIt();
    else setAsking(true);
  };
  return (
    <>
      <Head row={row} back={back} refusal={refusal} />
      <Form class="form" onSubmit={submit} noValidate>
        <Generated
          {...{ groups, typed, problems }}
          isStored={false}
          folded={row.method === 'GET' ? foldedOfReads : noneFolded}
          onTyped={(name, value) => setTyped((before) => ({ ...before, [name]: value }))}
        />
        <Lines shown={requestOf(row, groups, withoutSecrets(groups, typed)).request} />
        {failed === '' ? null : <Problem text={failed} />}
        <div class="actions">
          <Button type="submit" look="primary" icon="play" refusal={refusal}>
            Send
          </Button>
        </div>
      </Form>
      {answered === undefined ? null : <Reply row={row} answered={answered} />}
      {isAsking ? (
        <Ask row={row} path={`/${made.request.path}`} onClose={() => setAsking(false)} onSend={sendIt} />
      ) : null}
    </>
  );
}

/** A read has few fields that matter at once. */
const foldedOfReads: ReadonlySet<string> = new Set(['query']);
const noneFolded: ReadonlySet<string> = new Set();

interface HeadProps {
  readonly row: Row;
  readonly back: string;
  readonly refusal: string | undefined;
}

const Head = ({ row, back, refusal }: HeadProps) => (
  <>
    <div class="head">
      <div>
        <nav aria-label="Way" class="way">
          <a href={back}>API explorer</a>
        </nav>
        <h1 class="what">
          <Method method={row.method} />
          <code class="wrap">{row.path}</code>
        </h1>
        <p>
          {row.summary}
          {needsOf(row)}
        </p>
      </div>
    </div>
    {refusal === undefined ? null : (
      <div class="banner" role="status">
        <Icon name="lock" />
        <span class="grow wrap">{refusal}</span>
      </div>
    )}
  </>
);

/** What the caller needs in the workspace service, as its document says it. */
const needsOf = ({ isOpen, needs }: Row): string =>
  isOpen || needs.length === 0 ? '' : `. Needs ${needs.map(([noun, right]) => `${noun}: ${right}`).join(', ')}`;

interface AskProps {
  readonly row: Row;
  readonly path: string;
  readonly onClose: () => void;
  readonly onSend: () => unknown;
}

/** A request that may change something is sent after a second look. */
const Ask = ({ row, path, onClose, onSend }: AskProps) => (
  <Dialog title={`Send ${row.method}?`} onClose={onClose}>
    <p>
      {row.summary}: <code class="wrap">{path}</code>
    </p>
    <div class="actions end">
      <Button onPress={onClose}>Cancel</Button>
      <Button look={row.method === 'DELETE' ? 'danger' : 'primary'} onPress={onSend}>
        Send {row.method}
      </Button>
    </div>
  </Dialog>
);
