import { workspaces } from '#client/operations/workspaces.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { reasonOf } from '../../parts/problem.tsx';
import { count } from '../../parts/relative.ts';
import { State } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import type { Look } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { orEmpty, pollMs, refresh, useQuery } from '../../state/use-query.ts';
import { type Item, itemIn } from './document/items.ts';
import type { PartProps } from './document/part.ts';
import { Shown } from './document/shown.tsx';
import { refusalIn } from './document/words.ts';

/** The last assessment of a workspace: whether its resources have drifted and its checks hold. */
export function Health({ workspace }: PartProps) {
  const hasOne = workspace.related('current-assessment-result') !== '';
  const asked = useQuery({
    key: ['assessment', workspace.id, hasOne],
    ask: (options) =>
      orEmpty(api.call(workspaces.currentAssessment, { workspace_id: workspace.id }, undefined, options)),
    everyMs: pollMs,
    enabled: hasOne,
  });
  const assess = async () => {
    await api.call(workspaces.assess, { workspace_id: workspace.id }).then(
      () => say('ok', 'The assessment waits for an agent.'),
      (cause: unknown) => say('fail', reasonOf(cause, 'It could not be assessed.')),
    );
    await refresh('workspace');
  };
  const action = (
    <Button icon="check" refusal={refusalIn(workspace, 'can-manage-assessments')} onPress={assess}>
      Assess now
    </Button>
  );
  if (!hasOne)
    return (
      <div class="card">
        <State icon="question" title="Not assessed yet" actions={action}>
          {workspace.is('assessments-enabled')
            ? 'An agent looks at it after its next apply, and then regularly.'
            : 'Assessments are off for this workspace. Its settings switch them on.'}
        </State>
      </div>
    );
  return (
    <Shown asked={asked}>
      {(reply) => (
        <>
          <div class="actions">{action}</div>
          <Result result={itemIn(reply)} />
        </>
      )}
    </Shown>
  );
}

function lookOf(result: Item): Look {
  if (!result.is('succeeded')) return { word: 'Could not be assessed', tone: 'fail', icon: 'alert' };
  if (result.is('drifted')) return { word: 'Drifted', tone: 'warn', icon: 'spin' };
  if (!result.is('all-checks-succeeded')) return { word: 'Checks fail', tone: 'fail', icon: 'cross' };
  return { word: 'Healthy', tone: 'ok', icon: 'done' };
}

const Result = ({ result }: { readonly result: Item }) => (
  <section class="card" aria-label="Last assessment">
    <header>
      <div class="what">
        <h2>Last assessment</h2>
        <Badge {...lookOf(result)} />
      </div>
      <Time at={result.text('created-at')} />
    </header>
    <div class="inside form">
      {result.text('error-msg') === '' ? null : <p class="wrap">{result.text('error-msg')}</p>}
      <dl class="facts">
        <dt>Resources that drifted</dt>
        <dd>{count(result.number('resources-drifted'))}</dd>
        <dt>Resources as planned</dt>
        <dd>{count(result.number('resources-undrifted'))}</dd>
        <dt>Checks that hold</dt>
        <dd>{count(result.number('checks-passed'))}</dd>
        <dt>Checks that fail</dt>
        <dd>{count(result.number('checks-failed'))}</dd>
        <dt>Checks without a result</dt>
        <dd>{count(result.number('checks-errored') + result.number('checks-unknown'))}</dd>
      </dl>
    </div>
  </section>
);
