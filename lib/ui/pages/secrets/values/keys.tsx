import { Answer, State } from '#ui/parts/states.tsx';
import { useQuery } from '#ui/state/use-query.ts';
import { Masked } from './masked.tsx';
import { readKeys, type Version } from './read.ts';

/** Keys that are shown. */
const shownMax = 500;

/** The keys of a version, each with its value hidden. */
export function Keys({ of }: { readonly of: Version }) {
  const asked = useQuery({
    key: ['keys', of.mount.path, of.path, of.version],
    ask: (options) => readKeys(of, options),
  });
  return (
    <section class="card" aria-label="Keys">
      <header>
        <h2>Keys</h2>
        {of.version === 0 ? null : <span class="quiet">of version {of.version}</span>}
      </header>
      <Answer asked={asked}>
        {({ data }) => {
          const keys: readonly unknown[] = Array.isArray(data) ? data : [];
          if (keys.length === 0)
            return (
              <State icon="key" title="No keys">
                This version is empty.
              </State>
            );
          return (
            <ul class="list">
              {keys.slice(0, shownMax).map((key) => (
                <li key={String(key)} class="keyed">
                  <code class="wrap">{String(key)}</code>
                  <Masked of={of} name={String(key)} />
                </li>
              ))}
              {keys.length > shownMax ? <li class="quiet">and {keys.length - shownMax} more</li> : null}
            </ul>
          );
        }}
      </Answer>
    </section>
  );
}
