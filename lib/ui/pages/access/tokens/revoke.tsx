import { useState } from 'preact/hooks';
import { auth } from '#client/operations/auth.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { counted } from '#ui/parts/relative.ts';
import { Answer } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useQuery } from '#ui/state/use-query.ts';

interface RevokeProps {
  readonly accessor: string;
  readonly onDone: () => unknown;
  readonly onClose: () => void;
}

/** Ends a token, after it was said how many others end with it. */
export function Revoke({ accessor, onDone, onClose }: RevokeProps) {
  const [problem, setProblem] = useState('');
  const plan = useQuery({
    key: ['token', accessor, 'plan'],
    ask: ({ signal }) => api.call(auth.revokeAccessor, {}, { accessor, plan: true }, { signal }),
  });
  const revoke = async () => {
    setProblem('');
    try {
      await api.call(auth.revokeAccessor, {}, { accessor });
      await onDone();
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be revoked.'));
    }
  };
  return (
    <Dialog title="Revoke the token" onClose={onClose}>
      <div class="form">
        <Answer asked={plan}>{({ data }) => <p>{planText(data)}</p>}</Answer>
        {problem === '' ? null : <Problem text={problem} />}
      </div>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" onPress={revoke}>
          Revoke
        </Button>
      </div>
    </Dialog>
  );
}

function planText(data: Value | undefined): string {
  const children = Number(textOf(data, 'children') || 0);
  if (children === 0) return 'No other token ends with it. Whoever uses it is refused at once.';
  const many =
    memberOf(data, 'exact') === false ? `More than ${counted(children, 'token')}` : counted(children, 'token');
  return `${many} that it created, or that those created, ${children === 1 ? 'ends' : 'end'} with it.`;
}
