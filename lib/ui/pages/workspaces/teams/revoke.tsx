import { useState } from 'preact/hooks';
import { teamAccess } from '#client/operations/workspaces.ts';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh } from '#ui/state/use-query.ts';
import type { Item } from '../document/items.ts';
import type { Team } from './levels.ts';

interface RevokeProps {
  readonly grant: Item;
  readonly team: Team;
  readonly onClose: () => void;
}

export function Revoke({ grant, team, onClose }: RevokeProps) {
  const [problem, setProblem] = useState('');
  const revoke = async () => {
    try {
      await api.call(teamAccess.revoke, { grant_id: grant.id });
    } catch (cause) {
      return setProblem(reasonOf(cause, 'It could not be removed.'));
    }
    say('ok', `${team.name} is removed.`);
    onClose();
    await refresh('grants');
  };
  return (
    <Dialog title={`Remove ${team.name}?`} onClose={onClose}>
      <p>Its members lose the access that they have through this team alone.</p>
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" onPress={revoke}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
