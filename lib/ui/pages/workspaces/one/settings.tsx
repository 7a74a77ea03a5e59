import { useState } from 'preact/hooks';
import { workspaces } from '#client/operations/workspaces.ts';
import type { Value } from '#client/wire/json.ts';
import { Generated } from '#ui/form/generated.tsx';
import { asTyped, groupsOf, sentOf, type Typed } from '#ui/form/shape.ts';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import { dataOf, type Item } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { refusalIn } from '../document/words.ts';

const field = (name: string, label: string, description: string, more: Readonly<Record<string, Value>> = {}) => ({
  name,
  label,
  description,
  group: 'general',
  type: 'string',
  ...more,
});
const flag = (name: string, label: string, description: string, group: string) =>
  field(name, label, description, { type: 'boolean', default: false, group });

/** The settings that most change. The others are set by the API. */
const groups = groupsOf({
  groups: [
    { name: 'general', label: 'General' },
    { name: 'runs', label: 'Runs' },
    { name: 'sharing', label: 'Health and sharing' },
  ],
  fields: [
    field('description', 'Description', 'What the workspace is for', { multiline: true }),
    field('engine-version', 'Engine version', 'A version, a constraint such as ~> 1.11, or latest'),
    field('working-directory', 'Working directory', 'Below the root of the configuration; empty for the root'),
    field('execution-mode', 'Runs are executed', 'Local keeps only the state here', {
      values: ['remote', 'agent', 'local'],
      group: 'runs',
    }),
    field('agent-pool-id', 'Agent pool', 'The id of a pool, which the mode agent needs', { group: 'runs' }),
    flag('auto-apply', 'Apply without confirmation', 'A plan with changes is applied at once', 'runs'),
    flag('allow-destroy-plan', 'Allow destroy plans', 'Runs may destroy all resources', 'runs'),
    flag('queue-all-runs', 'Queue the first run', 'Also runs before the first configuration start', 'runs'),
    flag('assessments-enabled', 'Assess its health', 'Looks for drift and failing checks', 'sharing'),
    flag('global-remote-state', 'Share its state', 'All workspaces of the organization may read it', 'sharing'),
  ],
});

const names = groups.flatMap(({ fields }) => fields.map(({ name }) => name));

const typedOf = (workspace: Item): Typed =>
  Object.fromEntries(
    names.map((name) => [
      name,
      name === 'agent-pool-id' ? workspace.related('agent-pool') : asTyped(workspace.value(name)),
    ]),
  );

export function Settings({ workspace }: PartProps) {
  const [stored, setStored] = useState(() => typedOf(workspace));
  const [typed, setTyped] = useState(stored);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [rest, setRest] = useState('');
  const save = async (event: Event) => {
    event.preventDefault();
    setRest('');
    const sent = sentOf(groups, typed, stored);
    setProblems(sent.problems);
    if (Object.keys(sent.problems).length > 0) return;
    if (Object.keys(sent.body).length === 0) return say('ok', 'Nothing was changed.');
    try {
      const data = dataOf('workspaces', sent.body);
      await api.call(workspaces.update, { workspace_id: workspace.id }, { data });
      setStored(typed);
      say('ok', 'The settings are stored.');
    } catch (cause) {
      setRest(reasonOf(cause, 'The settings could not be stored.'));
    }
    await refresh('workspace');
  };
  return (
    <Form class="form narrow" onSubmit={save} noValidate>
      <Generated
        {...{ groups, typed, problems }}
        isStored
        folded={noneFolded}
        onTyped={(name, value) => setTyped((before) => ({ ...before, [name]: value }))}
      />
      {rest === '' ? null : <Problem text={rest} />}
      <div class="actions">
        <Button type="submit" look="primary" refusal={refusalIn(workspace, 'can-update')}>
          Save
        </Button>
      </div>
    </Form>
  );
}

const noneFolded: ReadonlySet<string> = new Set();
