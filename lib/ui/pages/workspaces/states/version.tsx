import { states } from '#client/operations/workspaces.ts';
import { printJson, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { MaskedText } from '#ui/parts/masked.tsx';
import { count, counted } from '#ui/parts/relative.ts';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { type Item, includedIn, itemIn } from '../document/items.ts';
import { Shown } from '../document/shown.tsx';
import { resourcesOf } from './differences.ts';
import { sizeWord, stateLook } from './words.ts';

/** Entries that are shown of each list. */
const shownMax = 500;

/** One state version: its resources and outputs. Its file is not downloaded. */
export function Version({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const asked = useQuery({
    key: ['state', id],
    ask: (options) => api.call(states.read, { state_version_id: id }, { include: 'outputs' }, options),
  });
  const title = asked.reply === undefined ? 'State version' : `State, serial ${itemIn(asked.reply).text('serial')}`;
  return (
    <Dialog title={title} kind="drawer" onClose={onClose}>
      <Shown asked={asked}>
        {(reply) => (
          <>
            <Facts version={itemIn(reply)} />
            <Outputs outputs={includedIn(reply, 'state-version-outputs')} />
            <Resources version={itemIn(reply)} />
          </>
        )}
      </Shown>
    </Dialog>
  );
}

const Facts = ({ version }: { readonly version: Item }) => (
  <dl class="facts">
    <dt>Status</dt>
    <dd>
      <Badge {...stateLook(version.text('status'))} />
    </dd>
    <dt>Created</dt>
    <dd>
      <Time at={version.text('created-at')} />
    </dd>
    <dt>Size</dt>
    <dd>{sizeWord(version)}</dd>
    <dt>Engine version</dt>
    <dd>{version.text('engine-version')}</dd>
    <dt>Lineage</dt>
    <dd>{version.text('lineage')}</dd>
    <dt>Id</dt>
    <dd>
      <code>{version.id}</code>
    </dd>
  </dl>
);

const textOfValue = (value: Value | undefined): string =>
  typeof value === 'string' ? value : printJson(value ?? null, 2);

/** A sensitive output is read when it is asked for. */
const readOutput = async (id: string): Promise<string> => {
  const reply = await api.call(states.readOutput, { output_id: id });
  return textOfValue(itemIn(reply).value('value'));
};

function Outputs({ outputs }: { readonly outputs: readonly Item[] }) {
  if (outputs.length === 0) return null;
  return (
    <section class="card" aria-label="Outputs">
      <header>
        <h3>Outputs</h3>
        <span class="quiet">{count(outputs.length)}</span>
      </header>
      <ul class="list">
        {outputs.slice(0, shownMax).map((one) => (
          <li key={one.id} class="keyed">
            <code class="wrap">{one.text('name')}</code>
            {one.is('sensitive') ? (
              <MaskedText label={one.text('name')} read={() => readOutput(one.id)} />
            ) : (
              <pre class="plain-value">{textOfValue(one.value('value'))}</pre>
            )}
          </li>
        ))}
        <More of={outputs.length} />
      </ul>
    </section>
  );
}

function Resources({ version }: { readonly version: Item }) {
  const resources = resourcesOf(version.value('resources'));
  if (resources === undefined) return <p class="quiet">Its resources are still being read.</p>;
  return (
    <section class="card" aria-label="Resources">
      <header>
        <h3>Resources</h3>
        <span class="quiet">{counted(resources.length, 'address', 'addresses')}</span>
      </header>
      <ul class="list">
        {resources.slice(0, shownMax).map((one) => (
          <li key={one.address} class="what">
            <code class="wrap">{one.address}</code>
            <span class="quiet">{counted(one.count, 'instance')}</span>
          </li>
        ))}
        {resources.length === 0 ? <li class="quiet">None</li> : null}
        <More of={resources.length} />
      </ul>
    </section>
  );
}

const More = ({ of }: { readonly of: number }) =>
  of > shownMax ? <li class="quiet">and {count(of - shownMax)} more</li> : null;
