import { useLocation } from 'preact-iso';
import type { Value } from '#client/wire/json.ts';
import { TextField } from '../../form/field.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { counted } from '../../parts/relative.ts';
import { Answer, State } from '../../parts/states.tsx';
import { useOverview } from '../../state/overview.ts';
import { useFilterRoute } from '../../state/use-filter-route.ts';
import { useTitle } from '../../state/use-title.ts';
import { type Column, Table } from '../../table/table.tsx';
import { useNewRefusal } from '../overview/new-refusal.ts';
import { type Place, placesOf } from '../overview/numbers.ts';
import { Shares } from '../overview/places.tsx';
import { Health } from './health.tsx';

/** All destinations with their numbers, from one answer. */
export function Destinations() {
  useTitle('Destinations');
  const asked = useOverview();
  const refusal = useNewRefusal();
  return (
    <>
      <div class="head">
        <div>
          <h1>Destinations</h1>
          <p>The external systems that hold copies of secrets.</p>
        </div>
        <LinkButton href="/ui/destinations/new" look="primary" icon="plus" refusal={refusal}>
          New destination
        </LinkButton>
      </div>
      <Answer asked={asked}>{({ data }) => <List overview={data ?? null} />}</Answer>
    </>
  );
}

function List({ overview }: { readonly overview: Value }) {
  const { query, route } = useLocation();
  const follow = useFilterRoute();
  const wanted = query['find'] ?? '';
  const all = placesOf(overview);
  if (all.length === 0)
    return (
      <div class="card">
        <State icon="target" title="No destination yet">
          Create the first one, then associate secrets with it.
        </State>
      </div>
    );
  const shown = all.filter(({ type, name }) => `${type}/${name}`.toLowerCase().includes(wanted.toLowerCase()));
  const find = (text: string) =>
    follow(text === '' ? '/ui/destinations' : `/ui/destinations?find=${encodeURIComponent(text)}`, 'find');
  return (
    <>
      <search class="filters">
        <TextField label="Find" type="search" value={wanted} onValue={find} />
      </search>
      {shown.length === 0 ? (
        <div class="card">
          <State icon="search" title="No destination matches" actions={<Button onPress={() => find('')}>Clear</Button>}>
            None has this in its type or name.
          </State>
        </div>
      ) : (
        <Table
          label="Destinations"
          columns={columns}
          length={shown.length}
          rowAt={(index) => shown[index]}
          onOpen={({ type, name }) => route(`/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`)}
          footer={<span>{counted(shown.length, 'destination')}</span>}
        />
      )}
    </>
  );
}

const columns: readonly Column<Place>[] = [
  { name: 'Health', width: '11rem', cell: (place) => <Health place={place} /> },
  {
    name: 'Destination',
    width: 'minmax(0, 1fr)',
    cell: ({ name, type }) => (
      <>
        <span title={name}>{name}</span>
        <span class="under">{type}</span>
      </>
    ),
  },
  {
    name: 'Records',
    width: 'minmax(0, 1.4fr)',
    wideOnly: true,
    cell: ({ counts, total }) => <Shares counts={counts} total={total} />,
  },
];
