import type { ComponentType } from 'preact';
import { ErrorBoundary, lazy } from 'preact-iso';
import { workspaces } from '#client/operations/workspaces.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { State } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useCurrentInView } from '#ui/state/use-current-in-view.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { useTitle } from '#ui/state/use-title.ts';
import { tabs, workspaceUrl } from '../address.ts';
import { itemIn } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Shown } from '../document/shown.tsx';
import { Health } from '../health.tsx';
import { Start } from '../runs/start.tsx';
import { Way } from '../way.tsx';
import { Lock } from './lock.tsx';
import { Overview } from './overview.tsx';

const Runs = lazy(() => import('../runs/runs.tsx').then(({ Runs }) => Runs));
const States = lazy(() => import('../states/states.tsx').then(({ States }) => States));
const Variables = lazy(() => import('../variables/variables.tsx').then(({ Variables }) => Variables));
const Settings = lazy(() => import('./settings.tsx').then(({ Settings }) => Settings));
const Teams = lazy(() => import('../teams/teams.tsx').then(({ Teams }) => Teams));

interface WorkspaceProps {
  readonly organization: string;
  readonly name: string;
  readonly tab: string;
}

export function Workspace({ organization, name, tab }: WorkspaceProps) {
  useTitle(name);
  const asked = useQuery({
    key: ['workspace', organization, name],
    ask: (options) =>
      api.call(
        workspaces.read,
        { organization_name: organization, name },
        { include: 'current_run,locked_by,project,agent_pool' },
        options,
      ),
    everyMs: pollMs,
  });
  const row = useCurrentInView(tab, tabs.length);
  const workspace = asked.reply === undefined ? undefined : itemIn(asked.reply);
  return (
    <>
      <div class="head">
        <div>
          <Way organization={organization} />
          <h1 class="wrap">{name}</h1>
        </div>
        {workspace === undefined ? null : (
          <div class="actions">
            {workspace.is('locked') ? <Badge tone="warn" icon="lock" word="Locked" /> : null}
            <Lock workspace={workspace} />
            <Start organization={organization} workspace={workspace} />
          </div>
        )}
      </div>
      <nav class="tabs" aria-label="Parts of the workspace" ref={row}>
        {tabs.map(([id, word]) => (
          <a key={id} href={workspaceUrl(organization, name, id)} aria-current={id === tab ? 'page' : undefined}>
            {word}
          </a>
        ))}
      </nav>
      <Shown asked={asked}>{(reply) => <Part organization={organization} workspace={itemIn(reply)} tab={tab} />}</Shown>
    </>
  );
}

const parts: Readonly<Record<string, ComponentType<PartProps>>> = {
  '': Overview,
  runs: Runs,
  states: States,
  variables: Variables,
  health: Health,
  settings: Settings,
  teams: Teams,
};

function Part({ tab, ...props }: PartProps & { readonly tab: string }) {
  const Found = Object.hasOwn(parts, tab) ? parts[tab] : undefined;
  if (Found !== undefined)
    return (
      <ErrorBoundary onError={() => say('fail', 'A part of the page could not be loaded. Reload the page.')}>
        <Found {...props} />
      </ErrorBoundary>
    );
  return (
    <State icon="question" title="A workspace has no such part">
      The address may have a mistake.
    </State>
  );
}
