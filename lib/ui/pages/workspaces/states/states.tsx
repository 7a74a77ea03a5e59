import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { states } from '#client/operations/workspaces.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { counted } from '#ui/parts/relative.ts';
import { State } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { workspaceUrl } from '../address.ts';
import { type Item, itemsOf, pagination } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Shown } from '../document/shown.tsx';
import { Choose, type Chosen } from './choose.tsx';
import { Version } from './version.tsx';
import { sizeWord, stateLook } from './words.ts';

/** Each document lists its resources, up to 256 Ki characters, so a page has few. */
const versionsPerPage = 10;

/** The state versions of a workspace, the newest first. They are asked for again when another one is current. */
export function States({ organization, workspace }: PartProps) {
  const { query, route } = useLocation();
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<Chosen>({});
  const current = workspace.related('current-state-version');
  const asked = useQuery({
    key: ['states', workspace.id, current, page],
    ask: (options) =>
      api.call(
        states.list,
        { workspace_id: workspace.id },
        { 'page[number]': page, 'page[size]': versionsPerPage },
        options,
      ),
  });
  const url = workspaceUrl(organization, workspace.text('name'), 'states');
  const open = query['state'];
  return (
    <Shown asked={asked}>
      {(reply) => {
        const versions = itemsOf(reply);
        if (versions.length === 0 && page === 1) return <NoState />;
        return (
          <>
            <Choose
              versions={versions}
              chosen={chosen}
              onChosen={setChosen}
              hasPages={Number(pagination(reply, 'total-pages') || 1) > 1}
            />
            <Table
              label="State versions"
              columns={columnsOf(current)}
              length={versions.length}
              rowAt={(index) => versions[index]}
              onOpen={({ id }) => route(`${url}?state=${encodeURIComponent(id)}`)}
              footer={
                <>
                  <span role="status">{counted(Number(pagination(reply, 'total-count') || 0), 'version')}</span>
                  <Turn page={page} pages={Number(pagination(reply, 'total-pages') || 1)} onPage={setPage} />
                </>
              }
            />
            {open === undefined ? null : <Version id={open} onClose={() => route(url, true)} />}
          </>
        );
      }}
    </Shown>
  );
}

const NoState = () => (
  <div class="card">
    <State icon="stack" title="No state yet">
      The first apply writes one.
    </State>
  </div>
);

interface TurnProps {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

const Turn = ({ page, pages, onPage }: TurnProps) =>
  pages <= 1 ? null : (
    <span class="actions">
      <Button small refusal={page === 1 ? 'These are the newest.' : undefined} onPress={() => onPage(page - 1)}>
        Newer
      </Button>
      <Button small refusal={page >= pages ? 'These are the oldest.' : undefined} onPress={() => onPage(page + 1)}>
        Older
      </Button>
    </span>
  );

const columnsOf = (current: string): readonly Column<Item>[] => [
  { name: 'Serial', width: '4.5rem', cell: (one) => <span class="numbers">{one.text('serial')}</span> },
  {
    name: 'State',
    width: 'minmax(0, 1fr)',
    cell: (one) => (
      <>
        {one.id === current ? (
          <Badge tone="ok" icon="done" word="Current" />
        ) : (
          <Badge {...stateLook(one.text('status'))} />
        )}
        <span class="under">{one.related('run') || one.id}</span>
      </>
    ),
  },
  { name: 'Size', width: '7rem', wideOnly: true, cell: (one) => <span class="numbers">{sizeWord(one)}</span> },
  { name: 'Created', width: '9rem', cell: (one) => <Time at={one.text('created-at')} /> },
];
