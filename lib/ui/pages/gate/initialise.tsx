import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { TextField } from '../../form/field.tsx';
import { Button } from '../../parts/button.tsx';
import { save } from '../../parts/file.ts';
import { Form } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { api } from '../../state/api.ts';
import { findGate } from '../../state/session.ts';
import { useQuery } from '../../state/use-query.ts';

/** Creates the keys of a new service. With an automatic seal the shares are recovery keys. */
export function Initialise() {
  const [shares, setShares] = useState('5');
  const [threshold, setThreshold] = useState('3');
  const [problem, setProblem] = useState<string>();
  const [made, setMade] = useState<Value>();
  const { reply } = useQuery({
    key: ['seal'],
    ask: (options) => api.call(system.sealStatus, {}, undefined, { ...options, namespace: '' }),
  });
  const isManual = textOf(reply?.whole, 'type') === 'shamir';
  const submit = async () => {
    const [count, least] = [Number(shares), Number(threshold)];
    const fields = isManual
      ? { secret_shares: count, secret_threshold: least }
      : { recovery_shares: count, recovery_threshold: least };
    await api.call(system.initialise, {}, fields, { namespace: '' }).then(
      ({ whole }) => setMade(whole),
      (error: unknown) => setProblem(error instanceof CallFailure ? error.message : 'It could not be initialised.'),
    );
  };
  if (made !== undefined) return <Made made={made} />;
  return (
    <Form class="form" onSubmit={submit}>
      <h2>A new service</h2>
      <p class="quiet">Its keys are shown once. Give each share to another person.</p>
      <TextField label={isManual ? 'Key shares' : 'Recovery shares'} type="number" value={shares} onValue={setShares} />
      <TextField label="Shares needed" type="number" value={threshold} onValue={setThreshold} />
      {problem === undefined ? null : <Problem text={problem} />}
      <Button type="submit" look="primary">
        Create keys
      </Button>
    </Form>
  );
}

function Made({ made }: { readonly made: Value }) {
  const [isKept, setKept] = useState(false);
  const keys = textsOf(made, 'keys_base64');
  const recovery = textsOf(made, 'recovery_keys_base64');
  const shares = keys.length > 0 ? keys : recovery;
  const token = textOf(made, 'root_token') || String(memberOf(made, 'root_token') ?? '');
  return (
    <div class="form">
      <h2>Keep these now</h2>
      <p>They are not shown again. Without enough shares, the service cannot be unsealed after a restart.</p>
      <ol class="shares">
        {shares.map((share) => (
          <li key={share}>{share}</li>
        ))}
      </ol>
      <div class="field">
        <span class="label">Root token</span>
        <code class="wrap">{token}</code>
      </div>
      <Button icon="copy" onPress={() => download(shares, token)}>
        Download
      </Button>
      <div class="check">
        <input id="kept" type="checkbox" checked={isKept} onChange={() => setKept(!isKept)} />
        <label for="kept">I have kept the shares and the token</label>
      </div>
      <Button look="primary" refusal={isKept ? undefined : 'Keep the shares first.'} onPress={() => findGate()}>
        Go on
      </Button>
    </div>
  );
}

function download(shares: readonly string[], token: string): void {
  const text = `${shares.map((share, at) => `share ${at + 1}: ${share}`).join('\n')}\nroot token: ${token}\n`;
  save('keyferry-keys.txt', new Blob([text], { type: 'text/plain' }));
}
