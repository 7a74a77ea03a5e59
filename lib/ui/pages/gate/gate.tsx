import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { State } from '../../parts/states.tsx';
import { findGate, gate } from '../../state/session.ts';
import { useTitle } from '../../state/use-title.ts';
import { Front } from './front.tsx';
import { Initialise } from './initialise.tsx';
import { Login } from './login.tsx';
import { Unseal } from './unseal.tsx';

/** How often a page that waits for the server asks again. */
const retryMs = 3_000;

/** Shown instead of the pages: the state of the service, and the login. The address of the page stays, so a login leads back to it. */
export function Gate() {
  const { kind } = gate.value;
  useTitle('');
  return (
    <Front>
      {kind === 'away' ? (
        <Away />
      ) : (
        <div class="inside">
          {kind === 'uninitialised' ? <Initialise /> : kind === 'sealed' ? <Unseal /> : <Login />}
        </div>
      )}
    </Front>
  );
}

function Away() {
  const [, again] = useState(0);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void findGate().then(() => again((times) => times + 1));
    };
    const timer = setInterval(look, retryMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return (
    <State
      icon="cloud"
      tone="fail"
      title="The service does not answer"
      actions={
        <Button icon="spin" onPress={() => findGate()}>
          Try again
        </Button>
      }
    >
      It may be starting, or its database may be away. The page tries again by itself.
    </State>
  );
}
