import { Button, LinkButton } from '../../parts/button.tsx';
import { State } from '../../parts/states.tsx';
import { fulfilPrompt } from '../../state/prompt.ts';
import { gate, logout } from '../../state/session.ts';
import type { Next } from './next.ts';

interface StepProps {
  readonly next: Next;
  readonly onNext: (next: Next) => void;
}

/** What the visitor sees of a login at an application, and may decide. */
export function Step({ next, onNext }: StepProps) {
  const leave = (to: string) => onNext({ kind: 'leave', to });
  switch (next.kind) {
    case 'leave':
      return (
        <p role="status" class="quiet wrap">
          Going back to {hostOf(next.to)} …
        </p>
      );
    case 'choose':
      return (
        <div class="form">
          <h2 class="wrap">Log in at {hostOf(next.to)}?</h2>
          <p>The application learns who you are here.</p>
          <Button look="primary" onPress={() => leave(next.to)}>
            Go on as {nameOf()}
          </Button>
          <Button onPress={logInAgain}>Log in as someone else</Button>
          <Button look="plain" onPress={() => leave(next.refusal)}>
            Cancel
          </Button>
        </div>
      );
    case 'again':
      return (
        <div class="form">
          <h2>Log in again</h2>
          <p class="wrap">{hostOf(next.refusal)} asks for a login that is newer than yours.</p>
          <Button look="primary" onPress={logInAgain}>
            Log in again
          </Button>
          <Button look="plain" onPress={() => leave(next.refusal)}>
            Cancel
          </Button>
        </div>
      );
    case 'stop':
      return (
        <State
          icon="alert"
          tone="fail"
          title={next.title}
          actions={
            <>
              {next.lacksRight ? <Button onPress={logInAgain}>Log in as someone else</Button> : null}
              <LinkButton href="/ui/">Open Keyferry</LinkButton>
            </>
          }
        >
          <span class="wrap">{next.why}</span>
        </State>
      );
  }
}

/** The login leads back to this address. */
async function logInAgain(): Promise<void> {
  fulfilPrompt();
  await logout();
}

const nameOf = (): string => (gate.value.kind === 'open' ? gate.value.caller.name : '');

const hostOf = (address: string): string => new URL(address).host || new URL(address).protocol;
