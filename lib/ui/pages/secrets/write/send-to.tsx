import { sync } from '#client/operations/sync.ts';
import { Combobox } from '#ui/form/combobox.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { reasonOf } from '#ui/parts/problem.tsx';
import { api } from '#ui/state/api.ts';
import { useDestinationNames } from '#ui/state/overview.ts';

/** Destinations of one request. */
const chosenMax = 20;

interface SendToProps {
  readonly label: string;
  /** As `type/name`. */
  readonly chosen: readonly string[];
  readonly already: ReadonlySet<string>;
  readonly onChosen: (chosen: readonly string[]) => void;
}

/** Chooses destinations by their names. */
export function SendTo({ label, chosen, already, onChosen }: SendToProps) {
  const all = useDestinationNames({ isPolled: true });
  const options = all.filter((one) => !chosen.includes(one) && !already.has(one));
  return (
    <div class="form">
      <Combobox
        label={label}
        hint={all.length > 0 && options.length === 0 ? 'No other destination is left.' : undefined}
        problem={chosen.length >= chosenMax ? `At most ${chosenMax} at a time.` : undefined}
        options={chosen.length >= chosenMax ? [] : options}
        onChoose={(option) => onChosen([...chosen, option])}
      />
      {chosen.length === 0 ? null : (
        <ul class="chips" aria-label="Chosen destinations">
          {chosen.map((one) => (
            <li key={one} class="chip">
              <span class="wrap">{one}</span>
              <button
                type="button"
                aria-label={`Leave out ${one}`}
                onClick={() => onChosen(chosen.filter((other) => other !== one))}
              >
                <Icon name="close" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export interface Refused {
  readonly place: string;
  readonly why: string;
}

/** Associates a secret with destinations, one after the other. Returns those that were refused. */
export async function sendTo(mount: string, secret: string, places: readonly string[]): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const place of places) {
    const [type = '', ...name] = place.split('/');
    await api
      .call(sync.associate, { type, name: name.join('/') }, { mount, secret_name: secret })
      .catch((cause: unknown) => refused.push({ place, why: reasonOf(cause, 'it could not be associated') }));
  }
  return refused;
}

export const refusedText = (refused: readonly Refused[]): string =>
  refused.map(({ place, why }) => `${place}: ${why}`).join(' ');
