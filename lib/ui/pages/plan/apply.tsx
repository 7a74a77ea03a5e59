import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { count, counted } from '../../parts/relative.ts';
import { say } from '../../parts/toast.tsx';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { refresh } from '../../state/use-query.ts';
import { changesIn } from './actions.ts';
import type { Planned } from './use-plan.ts';

interface ApplyProps {
  readonly planned: Planned;
  readonly onAgain: () => unknown;
}

/** Does what the plan says, after a confirmation. */
export function Apply({ planned, onAgain }: ApplyProps) {
  const [isAsking, setAsking] = useState(false);
  const { objects, planId } = planned;
  const path = `sys/sync/plans/${planId}/apply`;
  const rights = useRights([path]);
  const changes = changesIn(objects);
  if (planId === '') return null;
  const refusal =
    rights.refusal('update', path) ?? (changes === 0 ? 'The plan has nothing that would change.' : undefined);
  return (
    <>
      <Button look="primary" icon="play" refusal={refusal} onPress={() => setAsking(true)}>
        Apply {changes === 0 ? 'the plan' : counted(changes, 'change')}
      </Button>
      {isAsking ? <Confirm {...{ planId, changes, onAgain }} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

interface ConfirmProps extends Pick<ApplyProps, 'onAgain'> {
  readonly planId: string;
  readonly changes: number;
  readonly onClose: () => void;
}

function Confirm({ planId, changes, onAgain, onClose }: ConfirmProps) {
  const { route } = useLocation();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const apply = async () => {
    try {
      await api.call(sync.applyPlan, { id: planId }, {});
      await refresh('batches');
      say('ok', 'The plan is being applied.');
      route('/ui/batches');
    } catch (cause) {
      setRefused(
        cause instanceof CallFailure && cause.errors.length > 0
          ? cause.errors.flatMap((text) => text.split('\n'))
          : [reasonOf(cause, 'It could not be applied.')],
      );
    }
  };
  const planAgain = () => {
    onClose();
    return onAgain();
  };
  return (
    <Dialog title="Apply the plan" onClose={onClose}>
      <div class="form">
        <p>
          A batch makes the {counted(changes, 'change')} of this plan and nothing else. A worker looks again before it
          writes, and does not write what has become different.
        </p>
        {refused.length === 0 ? null : <Refused reasons={refused} />}
      </div>
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        {refused.length === 0 ? (
          <Button look="primary" onPress={apply}>
            Apply {count(changes)}
          </Button>
        ) : (
          <Button look="primary" onPress={planAgain}>
            Plan again
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** What has changed since the plan was made, each on its line. */
const Refused = ({ reasons: [first = '', ...changes] }: { readonly reasons: readonly string[] }) => (
  <>
    <Problem text={first} />
    <ul class="plan-changes" aria-label="What changed">
      {changes.map((text) => (
        <li key={text} class="wrap">
          {text}
        </li>
      ))}
    </ul>
  </>
);
