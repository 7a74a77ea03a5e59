import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { returned } from '../../state/returned.ts';
import { completeLogin } from '../../state/session.ts';
import type { Pending } from './codes.tsx';

const elsewhere =
  'This login was not begun in this tab, or another one was begun since. Nobody is logged in by it: begin again here.';

/** The way back from a provider. The answer is tried once, and a login that fails is begun anew. */
export function Return({ onPending }: { readonly onPending: (pending: Pending) => void }) {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const from = returned.value;
    if (from === undefined) return;
    if (from === 'foreign') {
      setProblem(elsewhere);
      return;
    }
    completeLogin(from).then(
      (pending) => {
        returned.value = undefined;
        if (pending !== undefined) onPending({ login: pending, namespace: from.namespace });
      },
      (cause: unknown) => setProblem(reasonOf(cause, 'The login could not be completed.')),
    );
  }, []);
  if (problem === undefined)
    return (
      <p role="status" class="quiet">
        Logging in …
      </p>
    );
  const again = () => {
    returned.value = undefined;
  };
  return (
    <div class="form">
      <h2>The login did not work</h2>
      <Problem text={problem} />
      <Button look="primary" onPress={again}>
        Log in again
      </Button>
    </div>
  );
}
