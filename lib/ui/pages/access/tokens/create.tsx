import { useState } from 'preact/hooks';
import { memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { say } from '#ui/parts/toast.tsx';
import { refresh } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { Described } from '../described/form.tsx';

/** Fields that only old clients send, or that a person does not choose. */
const hidden = ['id', 'lease', 'entity_alias'];

/** Creates a token. Its text is shown once: only this part of the page has it. */
export function NewToken() {
  const [made, setMade] = useState<Value>();
  const created = async (reply: Value | undefined) => {
    setMade(memberOf(reply, 'auth') ?? null);
    await refresh('tokens');
  };
  return (
    <>
      <nav class="way" aria-label="Way back">
        <a href={accessUrl('tokens')}>Tokens</a>
      </nav>
      <h2>New token</h2>
      {made === undefined ? (
        <Described title="Token" path="auth/token/create" hidden={hidden} submit="Create" onSaved={created} />
      ) : (
        <Made issued={made} />
      )}
    </>
  );
}

function Made({ issued }: { readonly issued: Value }) {
  const token = textOf(issued, 'client_token');
  const accessor = textOf(issued, 'accessor');
  const copy = () => navigator.clipboard.writeText(token).then(() => say('ok', 'The token is copied.'));
  return (
    <section class="card narrow" aria-label="The new token">
      <div class="inside form">
        <p class="what">
          <Icon name="alert" />
          This is shown once. Whoever has it can do what its policies grant.
        </p>
        <pre class="plain-value">{token}</pre>
        <dl class="facts">
          <dt>Accessor</dt>
          <dd>
            <code class="wrap">{accessor || 'none: batch tokens have none'}</code>
          </dd>
          <dt>Policies</dt>
          <dd class="wrap">{textsOf(issued, 'policies').join(', ')}</dd>
        </dl>
        <div class="actions">
          <Button look="primary" icon="copy" onPress={copy}>
            Copy
          </Button>
          <LinkButton href={accessUrl('tokens')}>Done</LinkButton>
        </div>
      </div>
    </section>
  );
}
