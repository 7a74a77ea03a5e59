import type { ComponentChildren } from 'preact';
import { textsOf } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { LinkButton } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { count } from '#ui/parts/relative.ts';
import { State } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { runUrl, workspaceUrl } from '../address.ts';
import type { Item } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { modeWord, runLook } from '../document/words.ts';
import { holderOf } from './lock.tsx';

export const Overview = ({ organization, workspace }: PartProps) => (
  <>
    {workspace.is('locked') ? <LockBanner workspace={workspace} /> : null}
    <section class="tiles" aria-label="Numbers">
      <Figure name="Resources" value={count(workspace.number('resource-count'))} />
      <Figure name="Runs" value={count(workspace.number('workspace-kpis-runs-count'))} more="of the last 30" />
      <Figure name="Failed runs" value={count(workspace.number('run-failures'))} more="of the last 30" />
      <Figure name="Plan takes" value={duration(workspace.number('plan-duration-average'))} more="on average" />
      <Figure name="Apply takes" value={duration(workspace.number('apply-duration-average'))} more="on average" />
    </section>
    <LatestRun organization={organization} workspace={workspace} />
    <Facts workspace={workspace} />
  </>
);

const LockBanner = ({ workspace }: { readonly workspace: Item }) => (
  <div class="banner" role="status">
    <Icon name="lock" />
    <span class="grow wrap">
      {holderOf(workspace)} holds the lock
      {workspace.text('locked-reason') === '' ? '.' : `: ${workspace.text('locked-reason')}`}
    </span>
  </div>
);

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly more?: string;
}

const Figure = ({ name, value, more }: FigureProps) => (
  <div class="card tile">
    <span class="name">{name}</span>
    <span class="value">{value}</span>
    {more === undefined ? null : <span class="more">{more}</span>}
  </div>
);

function LatestRun({ organization, workspace }: PartProps) {
  const run = workspace.included('current-run');
  const name = workspace.text('name');
  return (
    <section class="card" aria-label="Latest run">
      <header>
        <h2>Latest run</h2>
        <LinkButton small look="plain" href={workspaceUrl(organization, name, 'runs')}>
          All runs
        </LinkButton>
      </header>
      {run === undefined ? (
        <State icon="play" title="No run yet">
          A run needs a configuration, from the command line or a connected repository. Then it can be started here.
        </State>
      ) : (
        <div class="inside what">
          <Badge {...runLook(run.text('status'))} />
          <a class="wrap" href={runUrl(organization, name, run.id)}>
            {run.text('message') || run.id}
          </a>
          <span class="quiet">
            <Time at={run.text('created-at')} />
          </span>
        </div>
      )}
    </section>
  );
}

function Facts({ workspace }: { readonly workspace: Item }) {
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Runs are executed', modeWord(workspace.text('execution-mode'))],
    ['Agent pool', workspace.included('agent-pool')?.text('name') ?? ''],
    ['Engine version', workspace.text('engine-version')],
    ['Working directory', workspace.text('working-directory')],
    ['Repository', workspace.text('vcs-repo', 'identifier')],
    ['Project', workspace.included('project')?.text('name') ?? ''],
    ['Tags', textsOf(workspace.value('tag-names')).join(', ')],
    ['Plans', workspace.is('auto-apply') ? 'applied without confirmation' : 'wait for confirmation'],
    ['Destroyed', timeOf(workspace.text('auto-destroy-at'))],
    ['Changed', timeOf(workspace.text('latest-change-at'))],
    ['Created', timeOf(workspace.text('created-at'))],
    ['Id', <code key="id">{workspace.id}</code>],
  ];
  return (
    <section class="card" aria-label="Facts">
      <header>
        <h2>Facts</h2>
      </header>
      <div class="inside">
        {workspace.text('description') === '' ? null : <p class="wrap">{workspace.text('description')}</p>}
        <dl class="facts">
          {facts.flatMap(([name, value]) =>
            value === '' ? [] : [<dt key={`${name}-name`}>{name}</dt>, <dd key={name}>{value}</dd>],
          )}
        </dl>
      </div>
    </section>
  );
}

const timeOf = (at: string): ComponentChildren => (at === '' ? '' : <Time at={at} />);

/** Milliseconds as `12 s` or `3 min`. */
function duration(ms: number): string {
  if (ms === 0) return '–';
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${count(seconds)} s` : `${count(Math.round(seconds / 60))} min`;
}
