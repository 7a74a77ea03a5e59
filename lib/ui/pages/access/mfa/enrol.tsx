import { useState } from 'preact/hooks';
import { identity } from '#client/operations/identity.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh } from '#ui/state/use-query.ts';
import { Code } from './code.tsx';

const selfPath = 'identity/mfa/method/totp/generate';
const entityPath = 'identity/mfa/method/totp/admin-generate';
const destroyPath = 'identity/mfa/method/totp/admin-destroy';

/** Enrolment in a method: of oneself, or of an entity by an administrator, who can also end it. The secret is shown once. */
export function Enrol({ method }: { readonly method: string }) {
  const [entity, setEntity] = useState('');
  const [problem, setProblem] = useState('');
  const [made, setMade] = useState<Value>();
  const rights = useRights([selfPath, entityPath, destroyPath]);
  const missing = entity.trim() === '' ? 'Type the ID of the entity first.' : undefined;
  const enrol = async (self: boolean) => {
    setProblem('');
    try {
      const { data, warnings } = self
        ? await api.call(identity.enrolSelf, {}, { method_id: method })
        : await api.call(identity.enrolEntity, {}, { method_id: method, entity_id: entity.trim() });
      if (textOf(data, 'url') === '') setProblem(warnings.join(' '));
      else setMade(data ?? null);
      await refresh('entities');
    } catch (cause) {
      setProblem(reasonOf(cause, 'The enrolment failed.'));
    }
  };
  const destroy = () =>
    destroySecret(method, entity.trim()).catch((cause: unknown) => setProblem(reasonOf(cause, 'It failed.')));
  return (
    <section class="card" aria-label="Enrolment">
      <header>
        <h2>Enrolment</h2>
      </header>
      <div class="inside form">
        <p>An enrolment gives an authenticator the secret for its codes. It is shown once.</p>
        <TextField
          label="Entity"
          value={entity}
          hint="The ID of the entity, to enrol somebody else or to end an enrolment."
          onValue={setEntity}
        />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button refusal={rights.refusal('update', selfPath)} onPress={() => enrol(true)}>
            Enrol yourself
          </Button>
          <Button refusal={rights.refusal('update', entityPath) ?? missing} onPress={() => enrol(false)}>
            Enrol the entity
          </Button>
          <Button look="danger" refusal={rights.refusal('update', destroyPath) ?? missing} onPress={destroy}>
            End its enrolment
          </Button>
        </div>
      </div>
      {made === undefined ? null : <Shown enrolment={made} onClose={() => setMade(undefined)} />}
    </section>
  );
}

/** @throws CallFailure */
export async function destroySecret(method: string, entity: string): Promise<void> {
  await api.call(identity.destroySecret, {}, { method_id: method, entity_id: entity });
  say('ok', 'The enrolment is ended.');
  await refresh('entities');
}

function Shown({ enrolment, onClose }: { readonly enrolment: Value; readonly onClose: () => void }) {
  const url = textOf(enrolment, 'url');
  const copy = () => navigator.clipboard.writeText(url).then(() => say('ok', 'The address is copied.'));
  return (
    <Dialog title="Scan this with the authenticator" onClose={onClose}>
      <div class="form">
        <Code barcode={textOf(enrolment, 'barcode')} />
        <details>
          <summary>It cannot be scanned</summary>
          <div class="form">
            <p>Type the secret into the authenticator.</p>
            <pre class="plain-value">{secretOf(url)}</pre>
            <div class="actions">
              <Button icon="copy" onPress={copy}>
                Copy the address
              </Button>
            </div>
          </div>
        </details>
      </div>
      <div class="actions end">
        <Button look="primary" onPress={onClose}>
          It is scanned
        </Button>
      </div>
    </Dialog>
  );
}

const secretOf = (url: string): string => (URL.canParse(url) ? (new URL(url).searchParams.get('secret') ?? '') : '');
