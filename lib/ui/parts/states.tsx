import type { ComponentChildren } from 'preact';
import type { CallFailure } from '#client/wire/failure.ts';
import type { Asked } from '../state/use-query.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { Time } from './time.tsx';

interface StateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly tone?: 'ok' | 'fail';
  readonly children?: ComponentChildren;
  readonly actions?: ComponentChildren;
}

/** Words in the place of what is not there, with the next step. */
export const State = ({ icon, title, tone, children, actions }: StateProps) => (
  <div class={`state ${tone ?? ''}`}>
    <Icon name={icon} size={28} />
    <h2>{title}</h2>
    {children === undefined ? null : <p>{children}</p>}
    {actions === undefined ? null : <div class="actions">{actions}</div>}
  </div>
);

export const Skeleton = ({ lines = 5 }: { readonly lines?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} style={{ width: `${90 - ((at * 17) % 45)}%` }} />
    ))}
  </div>
);

/** The failure of a page that has nothing older to show. */
export function Failed({ failure, again }: { readonly failure: CallFailure; readonly again: () => void }) {
  const retry = (
    <Button icon="spin" onPress={again}>
      Try again
    </Button>
  );
  if (failure.status === 403)
    return (
      <State icon="lock" title="Your policies do not show you this">
        An administrator can grant <code>read</code> on{' '}
        <code class="wrap">{failure.request.replace(/^\w+ \/v1\//, '')}</code>.
      </State>
    );
  if (failure.status === 404)
    return (
      <State icon="question" title="There is nothing at this address">
        It may have been deleted, or it is in another namespace.
      </State>
    );
  if (failure.status === 0)
    return (
      <State icon="cloud" tone="fail" title="The server cannot be reached" actions={retry}>
        The page tries again by itself.
      </State>
    );
  return (
    <State icon="alert" tone="fail" title="The server refused the request" actions={retry}>
      {failure.message}
    </State>
  );
}

/** Above an answer that the last call could not renew. */
export function Stale({ asked }: { readonly asked: Asked }) {
  if (asked.failure === undefined || asked.reply === undefined) return null;
  return (
    <div class="banner" role="status">
      <Icon name="cloud" />
      <span class="grow">
        These numbers are from <Time at={new Date(asked.at).toISOString()} />: {asked.failure.message}. The page tries
        again by itself.
      </span>
    </div>
  );
}

/** What the server says besides, such as that a list is not whole. */
export const Warnings = ({ of: reply }: { readonly of: Asked['reply'] }) => (
  <>
    {reply?.warnings.map((text) => (
      <div key={text} class="banner" role="status">
        <Icon name="alert" />
        <span class="grow wrap">{text.charAt(0).toUpperCase() + text.slice(1)}.</span>
      </div>
    ))}
  </>
);

/** An answer, or its skeleton, error or empty state. */
export function Answer({
  asked,
  children,
}: {
  readonly asked: Asked;
  readonly children: (reply: NonNullable<Asked['reply']>) => ComponentChildren;
}) {
  if (asked.reply === undefined)
    return asked.failure === undefined ? <Skeleton /> : <Failed failure={asked.failure} again={asked.again} />;
  return (
    <>
      <Stale asked={asked} />
      <Warnings of={asked.reply} />
      {children(asked.reply)}
    </>
  );
}
