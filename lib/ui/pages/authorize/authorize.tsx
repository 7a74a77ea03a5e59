import { useEffect, useState } from 'preact/hooks';
import { identity } from '#client/operations/identity.ts';
import { requestOf } from '#client/request.ts';
import { refusal } from '#client/wire/refusal.ts';
import { Button } from '../../parts/button.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { api } from '../../state/api.ts';
import { providerAt } from '../../state/authorize.ts';
import { noteFailure } from '../../state/queries.ts';
import { useTitle } from '../../state/use-title.ts';
import { Front } from '../gate/front.tsx';
import { type Next, nextOf } from './next.ts';
import { Step } from './step.tsx';

const fields = identity.authorize.fields;

/** Asks the server for a code with the session of the page. @throws CallFailure when there is no answer, or the session is over */
async function authorize(): Promise<Next> {
  const search = new URLSearchParams(location.search);
  const at = providerAt(location.pathname);
  if (at === undefined || new Set(search.keys()).size !== [...search.keys()].length)
    return { kind: 'stop', title: 'This address is not complete', why: 'Each parameter is given once at most.' };
  const asked = Object.fromEntries(fields.flatMap((name) => (search.has(name) ? [[name, search.get(name)]] : [])));
  const request = requestOf(identity.authorize, { provider: at.provider }, asked);
  const reply = await api.exchange(request, { namespace: at.namespace });
  const failure = refusal({ status: reply.status, body: new TextDecoder().decode(reply.bytes) }, request.path);
  if (failure.isTokenInvalid || failure.isSealed) {
    noteFailure(failure);
    throw failure;
  }
  return nextOf(search, reply);
}

/** The login at an application, which has sent the browser here: it goes back with a code. */
export function Authorize() {
  useTitle('Log in at an application');
  const [next, setNext] = useState<Next>();
  const [problem, setProblem] = useState<string>();
  const ask = () =>
    authorize().then(setNext, (cause: unknown) => setProblem(reasonOf(cause, 'The application cannot be answered.')));
  useEffect(() => void ask(), []);
  useEffect(() => {
    if (next?.kind === 'leave') location.replace(next.to);
  }, [next]);
  const again = () => {
    setProblem(undefined);
    return ask();
  };
  return (
    <Front>
      <div class={next?.kind === 'stop' ? '' : 'inside'}>
        {problem !== undefined ? (
          <div class="form">
            <h2>The login did not work</h2>
            <Problem text={problem} />
            <Button look="primary" onPress={again}>
              Try again
            </Button>
          </div>
        ) : next === undefined ? (
          <Skeleton lines={3} />
        ) : (
          <Step next={next} onNext={setNext} />
        )}
      </div>
    </Front>
  );
}
