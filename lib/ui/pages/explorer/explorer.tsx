import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { specs } from '#client/operations/specs.ts';
import { TypedFilter } from '../../form/typed-filter.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { count } from '../../parts/relative.ts';
import { Failed, Skeleton, State } from '../../parts/states.tsx';
import { api } from '../../state/api.ts';
import { useQuery } from '../../state/use-query.ts';
import { useTitle } from '../../state/use-title.ts';
import { type Column, Table } from '../../table/table.tsx';
import { idOf, matching, type Row, rowsIn } from './document/rows.ts';
import { Method } from './method.tsx';
import { One } from './one.tsx';

const url = (given: Readonly<Record<string, string>>): string => {
  const search = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  return `/ui/explorer${search.size === 0 ? '' : `?${search}`}`;
};

/** All rows of both services, from the documents that they give. */
export function Explorer() {
  useTitle('API explorer');
  const { query, route } = useLocation();
  const [find, open] = [query['find'] ?? '', query['row']];
  const secrets = useQuery({ key: ['specs', 'v1'], ask: (options) => api.call(specs.secrets, {}, undefined, options) });
  const workspaces = useQuery({
    key: ['specs', 'v2'],
    ask: (options) => api.call(specs.workspaces, {}, undefined, options),
  });
  const rows = useMemo(
    () => [...rowsIn(secrets.reply?.whole, 'v1'), ...rowsIn(workspaces.reply?.whole, 'v2')],
    [secrets.reply, workspaces.reply],
  );
  const isRefused = secrets.failure?.status === 403;
  const failure = (isRefused ? undefined : secrets.failure) ?? workspaces.failure;
  const isLoading = (secrets.reply === undefined && !isRefused) || workspaces.reply === undefined;
  if (failure !== undefined && isLoading)
    return (
      <Failed
        failure={failure}
        again={() => {
          secrets.again();
          workspaces.again();
        }}
      />
    );
  if (isLoading) return <Skeleton lines={8} />;
  const row = rows.find((one) => idOf(one) === open);
  if (row !== undefined) return <One key={open} row={row} back={url({ find })} />;
  return (
    <>
      <Head />
      {isRefused ? <NoDocument /> : null}
      {open === undefined ? (
        <List
          rows={rows}
          find={find}
          onFind={(text) => route(url({ find: text }), true)}
          onOpen={(one) => route(url({ find, row: idOf(one) }))}
        />
      ) : (
        <NoRow />
      )}
    </>
  );
}

const Head = () => (
  <div class="head">
    <div>
      <h1>API explorer</h1>
      <p>Every request of the API, sent with your session. Each shows its line for curl and keyferry.</p>
    </div>
  </div>
);

const NoDocument = () => (
  <div class="banner" role="status">
    <Icon name="lock" />
    <span class="grow">
      Your policies do not grant "read" on sys/internal/specs/openapi, so only rows of the workspace service are listed.
    </span>
  </div>
);

const NoRow = () => (
  <div class="card">
    <State
      icon="question"
      title="There is no such row, or you may not use it"
      actions={<LinkButton href="/ui/explorer">All rows</LinkButton>}
    >
      The document lists the mounts on which your policies grant something.
    </State>
  </div>
);

interface ListProps {
  readonly rows: readonly Row[];
  readonly find: string;
  readonly onFind: (text: string) => void;
  readonly onOpen: (row: Row) => void;
}

function List({ rows, find, onFind, onOpen }: ListProps) {
  const shown = matching(rows, find);
  return (
    <>
      <search class="filters wide">
        <TypedFilter label="Find by method, path or summary" value={find} onValue={onFind} />
      </search>
      {shown.length === 0 ? (
        <div class="card">
          <State icon="search" title="No row matches" actions={<Button onPress={() => onFind('')}>Clear</Button>}>
            None has all of these words.
          </State>
        </div>
      ) : (
        <Table
          key={find}
          label="Rows of the API"
          columns={columns}
          length={shown.length}
          rowAt={(index) => shown[index]}
          onOpen={onOpen}
          footer={
            <>
              <span role="status">
                {count(shown.length)} of {count(rows.length)} rows
              </span>
              <span>Enter opens a row</span>
            </>
          }
        />
      )}
    </>
  );
}

const columns: readonly Column<Row>[] = [
  { name: 'Method', width: '6.5rem', cell: ({ method }) => <Method method={method} /> },
  {
    name: 'Path',
    width: 'minmax(0, 1fr)',
    cell: ({ path, summary }) => (
      <>
        <code title={path}>{path}</code>
        <span class="under">{summary}</span>
      </>
    ),
  },
  { name: 'About', width: '10rem', wideOnly: true, cell: ({ tag }) => <span class="quiet">{tag}</span> },
];
