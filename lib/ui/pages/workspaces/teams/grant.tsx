import { useState } from 'preact/hooks';
import { teamAccess } from '#client/operations/workspaces.ts';
import { SelectField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import { dataOf, type Item } from '../document/items.ts';
import { levels, type Team } from './levels.ts';

interface GrantProps {
  readonly workspace: Item;
  /** The teams to choose from; of a grant that is changed, its own. */
  readonly free: readonly Team[];
  readonly grant?: Item;
  readonly onClose: () => void;
}

const isNamed = (access: string): boolean => levels.some(([level]) => level === access);

/** Gives a team access to a workspace, or changes it. */
export function Grant({ workspace, free, grant, onClose }: GrantProps) {
  const before = grant?.text('access') ?? 'read';
  const [team, setTeam] = useState(free[0]?.id ?? '');
  const [access, setAccess] = useState(isNamed(before) ? before : 'read');
  const [problem, setProblem] = useState('');
  const save = async (event: Event) => {
    event.preventDefault();
    const related = { workspace: ['workspaces', workspace.id], team: ['teams', team] } as const;
    try {
      if (grant === undefined)
        await api.call(teamAccess.grant, {}, { data: dataOf('team-workspaces', { access }, related) });
      else await api.call(teamAccess.change, { grant_id: grant.id }, { data: dataOf('team-workspaces', { access }) });
    } catch (cause) {
      return setProblem(reasonOf(cause, 'It could not be stored.'));
    }
    say('ok', 'The access is stored.');
    onClose();
    await refresh('grants');
  };
  const name = free.find(({ id }) => id === team)?.name ?? '';
  return (
    <Dialog title={grant === undefined ? 'Add a team' : `Access of ${name}`} onClose={onClose}>
      <Form class="form" onSubmit={save} noValidate>
        {grant === undefined ? (
          <SelectField
            label="Team"
            value={team}
            hint={free.length === 0 ? 'All teams that you see have access already.' : undefined}
            options={free.map((one) => [one.id, one.name] as const)}
            onValue={setTeam}
          />
        ) : null}
        <SelectField
          label="Access"
          value={access}
          hint={
            isNamed(before) ? undefined : 'It has rights of its own now, which the access that you choose replaces.'
          }
          options={levels.map(([level, word, meaning]) => [level, `${word}: ${meaning}`] as const)}
          onValue={setAccess}
        />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions end">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" look="primary" refusal={team === '' ? 'There is no team to choose.' : undefined}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
