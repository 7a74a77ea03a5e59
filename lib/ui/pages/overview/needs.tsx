import { useState } from 'preact/hooks';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { State } from '../../parts/states.tsx';
import { kindWord } from '../../parts/words.ts';
import { useRights } from '../../state/rights.ts';
import { More, useBeginning } from '../../table/more.tsx';
import { NewBatch } from '../records/batch.tsx';
import { recordsUrl } from '../records/filter.ts';
import type { Need } from './numbers.ts';

const shownAtOnce = 50;
const batches = 'sys/sync/batches';

/** Failures by cause and destination: what helps, and where. */
export function Needs({ needs }: { readonly needs: readonly Need[] }) {
  const [replaying, setReplaying] = useState<Need>();
  const rights = useRights([batches]);
  const refusal = rights.refusal('update', batches);
  const mine = useBeginning(
    needs.filter(({ remedy }) => remedy !== ''),
    shownAtOnce,
  );
  const waiting = useBeginning(
    needs.filter(({ remedy }) => remedy === ''),
    shownAtOnce,
  );
  return (
    <section class="card" aria-label="Needs you">
      <header>
        <h2>Needs you</h2>
      </header>
      {mine.rows.length === 0 ? (
        <State icon="done" tone="ok" title="Nothing needs you">
          {waiting.rows.length === 0 ? 'No sync has failed.' : 'What failed is tried again by itself.'}
        </State>
      ) : (
        <ul class="list">
          {mine.rows.map((need) => (
            <Line key={keyOf(need)} need={need} refusal={refusal} onReplay={() => setReplaying(need)} />
          ))}
        </ul>
      )}
      <More of={mine} one="cause" />
      {waiting.rows.length === 0 ? null : <Waiting needs={waiting.rows} />}
      <More of={waiting} one="cause" />
      {replaying === undefined ? null : (
        <NewBatch action="replay" extent={{ filter: filterOf(replaying) }} onClose={() => setReplaying(undefined)} />
      )}
    </section>
  );
}

const keyOf = ({ type, name, kind }: Need): string => `${type}/${name} ${kind}`;
const filterOf = ({ type, name, kind }: Need) => ({ type, name, kind });
const placeUrl = ({ type, name }: Need): string =>
  `/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`;

/** Causes that new settings of the destination mend. */
const mendedThere: ReadonlySet<string> = new Set(['credentials', 'missing', 'name', 'invalid', 'network']);

interface LineProps {
  readonly need: Need;
  readonly refusal: string | undefined;
  readonly onReplay: () => void;
}

function Line({ need, refusal, onReplay }: LineProps) {
  const { kind, count, name, type, remedy } = need;
  return (
    <li class="need">
      <div>
        <div class="what">
          <Badge tone="fail" icon="cross" word={kindWord(kind)} />
          <a class="wrap" href={placeUrl(need)}>
            {type}/{name}
          </a>
          <a class="quiet numbers" href={recordsUrl(filterOf(need))}>
            {counted(count, 'record')}
          </a>
        </div>
        <p class="remedy">What helps: {remedy}.</p>
      </div>
      <div class="actions">
        {mendedThere.has(kind) ? (
          <LinkButton small href={`${placeUrl(need)}/settings`}>
            Change settings
          </LinkButton>
        ) : null}
        <Button
          small
          icon="spin"
          label={`Replay ${kindWord(kind)} at ${type}/${name}`}
          refusal={refusal}
          onPress={onReplay}
        >
          Replay
        </Button>
      </div>
    </li>
  );
}

const Waiting = ({ needs }: { readonly needs: readonly Need[] }) => (
  <>
    <header class="list">
      <h3 class="inside">Passes by itself</h3>
    </header>
    <ul class="list">
      {needs.map((need) => (
        <li key={keyOf(need)} class="what need">
          <div class="what">
            <Badge tone="warn" icon="cloud" word={kindWord(need.kind)} />
            <a class="wrap" href={placeUrl(need)}>
              {need.type}/{need.name}
            </a>
          </div>
          <a class="numbers" href={recordsUrl(filterOf(need))}>
            {counted(need.count, 'record')}
          </a>
        </li>
      ))}
    </ul>
  </>
);
