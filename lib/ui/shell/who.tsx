import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Time } from '../parts/time.tsx';
import { say } from '../parts/toast.tsx';
import { namespace } from '../state/api.ts';
import { gate, logout } from '../state/session.ts';
import { chooseTheme, storedTheme, type Theme } from '../state/theme.ts';

/** Who is logged in, with the settings of the page. */
export function Who() {
  const [isOpen, setOpen] = useState(false);
  const open = gate.value;
  if (open.kind !== 'open') return null;
  return (
    <div class="who">
      <Button look="plain" icon="person" onPress={() => setOpen(true)}>
        <span class="who-name">{open.caller.name}</span>
      </Button>
      {isOpen ? <Account onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

function Account({ onClose }: { readonly onClose: () => void }) {
  const open = gate.value;
  if (open.kind !== 'open') return null;
  const { name, policies, endsAt } = open.caller;
  const end = async () => {
    const said = await logout();
    if (said !== undefined) say('fail', said);
  };
  return (
    <Dialog title={name} onClose={onClose}>
      <dl class="facts">
        <dt>Namespace</dt>
        <dd>{namespace.value === '' ? 'root' : namespace.value}</dd>
        <dt>Policies</dt>
        <dd>{policies.join(', ')}</dd>
        {endsAt === undefined ? null : (
          <>
            <dt>Session ends</dt>
            <dd>
              <Time at={new Date(endsAt).toISOString()} /> unless you use the page
            </dd>
          </>
        )}
      </dl>
      <ThemeChoice />
      <div class="actions end">
        <Button onPress={end}>Log out</Button>
      </div>
    </Dialog>
  );
}

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function ThemeChoice() {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (event: Event) => {
    const chosen = (event.currentTarget as HTMLSelectElement).value as Theme;
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <div class="field">
      <label for="theme">Colours</label>
      <select id="theme" class="input" value={theme} onChange={choose}>
        {themes.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
}
