import type { ComponentChildren } from 'preact';
import { auth } from '#client/operations/auth.ts';
import type { PageReply } from '#client/page.ts';
import type { CallFailure } from '#client/wire/failure.ts';
import { textOf } from '#client/wire/json.ts';
import { Answer, Failed, Skeleton, Stale, State } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { type Asked, useQuery } from '#ui/state/use-query.ts';

/** An answer of the workspace service, or words in its place. */
export function Shown({
  asked,
  children,
}: {
  readonly asked: Asked;
  readonly children: (reply: PageReply) => ComponentChildren;
}) {
  if (asked.reply === undefined)
    return asked.failure === undefined ? <Skeleton /> : <Refused failure={asked.failure} again={asked.again} />;
  return (
    <>
      <Stale asked={asked} />
      {children(asked.reply)}
    </>
  );
}

/** This service gives 404 for what the caller may not see, and 401 to callers that are none of its users. */
export function Refused({ failure, again }: { readonly failure: CallFailure; readonly again: () => void }) {
  if (failure.status === 401) return <NoUser />;
  if (failure.status === 403 || failure.status === 404)
    return (
      <div class="card">
        <State icon="lock" title="This is not there, or you may not see it">
          Rights to workspaces come from the teams of their organization. Its owners can give your team access.
        </State>
      </div>
    );
  return <Failed failure={failure} again={again} />;
}

/** Asks who the caller is, which also notices a session that is over. */
function NoUser() {
  const asked = useQuery({ key: ['self'], ask: (options) => api.call(auth.lookupSelf, {}, undefined, options) });
  return (
    <div class="card">
      <Answer asked={asked}>
        {({ data }) => {
          const entity = textOf(data, 'entity_id');
          return (
            <State icon="person" title="You are no user of the workspace service">
              {entity === '' ? (
                <>
                  It has users of its own, and your token has no entity that one could be bound to. Log in with a method
                  such as userpass, whose logins have an entity.
                </>
              ) : (
                <>
                  It has users of its own. An administrator of the site can bind one to your entity{' '}
                  <code class="wrap">{entity}</code>, with <code>entity-id</code> of{' '}
                  <code class="wrap">PATCH /api/v2/admin/users/:id</code>.
                </>
              )}
            </State>
          );
        }}
      </Answer>
    </div>
  );
}
