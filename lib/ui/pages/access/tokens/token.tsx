import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { auth } from '#client/operations/auth.ts';
import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { Button } from '#ui/parts/button.tsx';
import { reasonOf } from '#ui/parts/problem.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { Revoke } from './revoke.tsx';

const renewPath = 'auth/token/renew-accessor';
const revokePath = 'auth/token/revoke-accessor';

/** What the token with an accessor is; its renewal and its end. */
export function Token({ accessor }: { readonly accessor: string }) {
  const { route } = useLocation();
  const [isRevoking, setRevoking] = useState(false);
  const rights = useRights([renewPath, revokePath]);
  const asked = useQuery({
    key: ['token', accessor],
    ask: ({ signal }) => api.call(auth.lookupAccessor, {}, { accessor }, { signal }),
  });
  const renew = () =>
    api.call(auth.renewAccessor, {}, { accessor }).then(
      ({ warnings }) => {
        say('ok', ['The token is renewed.', ...warnings].join(' '));
        return refresh('token', accessor);
      },
      (cause: unknown) => say('fail', reasonOf(cause, 'It could not be renewed.')),
    );
  const ended = async () => {
    say('ok', 'The token is revoked.');
    route(accessUrl('tokens'));
    await refresh('tokens');
  };
  return (
    <>
      <nav class="way" aria-label="Way back">
        <a href={accessUrl('tokens')}>Tokens</a>
      </nav>
      <div class="access-bar">
        <h2 class="wrap">
          <code>{accessor}</code>
        </h2>
        <div class="actions">
          <Button
            icon="spin"
            refusal={rights.refusal('update', renewPath) ?? renewRefusal(asked.reply?.data)}
            onPress={renew}
          >
            Renew
          </Button>
          <Button refusal={rights.refusal('update', revokePath)} onPress={() => setRevoking(true)}>
            Revoke
          </Button>
        </div>
      </div>
      <Answer asked={asked}>{({ data }) => <Facts token={data ?? null} />}</Answer>
      {isRevoking ? <Revoke accessor={accessor} onDone={ended} onClose={() => setRevoking(false)} /> : null}
    </>
  );
}

const renewRefusal = (token: Value | undefined): string | undefined =>
  memberOf(token, 'renewable') === false ? 'This token cannot be renewed.' : undefined;

function Facts({ token }: { readonly token: Value }) {
  const [expires, entity] = [textOf(token, 'expire_time'), textOf(token, 'entity_id')];
  const uses = Number(textOf(token, 'num_uses') || 0);
  const meta = memberOf(token, 'meta');
  const identity = textsOf(token, 'identity_policies');
  return (
    <section class="card" aria-label="Token">
      <dl class="inside facts">
        <dt>Name</dt>
        <dd class="wrap">{textOf(token, 'display_name') || 'none'}</dd>
        <dt>Policies</dt>
        <dd>
          <Names names={textsOf(token, 'policies')} />
        </dd>
        {identity.length === 0 ? null : (
          <>
            <dt>Policies of its entity</dt>
            <dd>
              <Names names={identity} />
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={textOf(token, 'issue_time')} /> by <code class="wrap">{textOf(token, 'path')}</code>
        </dd>
        <dt>Expires</dt>
        <dd>{expires === '' ? 'never' : <Time at={expires} />}</dd>
        <dt>Renewable</dt>
        <dd>{memberOf(token, 'renewable') === true ? 'yes' : 'no'}</dd>
        <dt>Uses left</dt>
        <dd>{uses === 0 ? 'any number' : uses}</dd>
        <dt>Type</dt>
        <dd>
          {textOf(token, 'type')}
          {memberOf(token, 'orphan') === true ? ', without a parent' : ', ends with its parent'}
        </dd>
        {entity === '' ? null : (
          <>
            <dt>Entity</dt>
            <dd>
              <a class="wrap" href={accessUrl('entities', { key: entity })}>
                {entity}
              </a>
            </dd>
          </>
        )}
        {isObject(meta) && Object.keys(meta).length > 0 ? (
          <>
            <dt>Metadata</dt>
            <dd class="wrap">
              {Object.entries(meta)
                .map(([key, value]) => `${key}=${String(value)}`)
                .join(', ')}
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}

const Names = ({ names }: { readonly names: readonly string[] }) => (
  <span class="what">
    {names.map((name) => (
      <a key={name} class="wrap" href={accessUrl('policies', { key: name })}>
        {name}
      </a>
    ))}
  </span>
);
