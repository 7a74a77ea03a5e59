import { useEffect, useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '../../form/field.tsx';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { api } from '../../state/api.ts';
import { findGate } from '../../state/session.ts';
import { useQuery } from '../../state/use-query.ts';

const lookMs = 3_000;

/** Takes key shares one by one, and notices when another holder, or the automatic seal, opens the service. */
export function Unseal() {
  const [share, setShare] = useState('');
  const [problem, setProblem] = useState<string>();
  const asked = useQuery({
    key: ['seal'],
    ask: (options) => api.call(system.sealStatus, {}, undefined, { ...options, namespace: '' }),
    everyMs: lookMs,
  });
  const status = asked.reply?.whole;
  const isOpen = memberOf(status, 'sealed') === false;
  useEffect(() => {
    if (isOpen) void findGate();
  }, [isOpen]);
  const send = async (fields: { readonly key?: string; readonly reset?: boolean }) => {
    setProblem(undefined);
    await api
      .call(system.unseal, {}, fields, { namespace: '' })
      .catch((error: unknown) =>
        setProblem(error instanceof CallFailure ? error.message : 'The share could not be sent.'),
      );
    setShare('');
    asked.again();
  };
  const submit = async () => {
    await send({ key: share.trim() });
  };
  if (textOf(status, 'type') !== 'shamir' && status !== undefined) return <Automatic type={textOf(status, 'type')} />;
  return (
    <Form class="form" onSubmit={submit}>
      <h2>The service is sealed</h2>
      <Progress status={status} />
      <TextField label="Key share" type="password" value={share} required onValue={setShare} autofocus />
      {problem === undefined ? null : <Problem text={problem} />}
      <Button type="submit" look="primary">
        Send share
      </Button>
      {Number(textOf(status, 'progress')) > 0 ? (
        <Button look="plain" onPress={() => send({ reset: true })}>
          Start over
        </Button>
      ) : null}
    </Form>
  );
}

function Progress({ status }: { readonly status: Value | undefined }) {
  const [sent, needed] = [Number(textOf(status, 'progress') || 0), Number(textOf(status, 't') || 0)];
  return (
    <div class="field">
      <span role="status">
        {sent} of {needed} key shares
      </span>
      <div class="meter">
        <span style={{ width: `${needed === 0 ? 0 : (sent / needed) * 100}%` }} />
      </div>
    </div>
  );
}

const Automatic = ({ type }: { readonly type: string }) => (
  <div class="form">
    <h2>The service is sealed</h2>
    <p>Its seal is automatic ({type}): it opens as soon as the key service answers. The page goes on by itself.</p>
  </div>
);
