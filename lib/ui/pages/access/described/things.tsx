import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { Failed, Skeleton, State } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { orEmpty } from '#ui/state/use-query.ts';
import { lengthOf, listIn, rowsPerPage, usePages } from '#ui/table/pages.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { encodedPath } from '../address.ts';
import type { Kind } from './kind.ts';
import { makingPath, useMakingRefusal } from './making.ts';
import { NewThing, Thing } from './thing.tsx';

/** A list of things, one of them, or the form of a new one, as the address says. */
export function Things({ kind }: { readonly kind: Kind }) {
  const { query } = useLocation();
  if (query['new'] !== undefined) return <NewThing kind={kind} />;
  const key = query['key'] ?? '';
  return key === '' ? <List kind={kind} /> : <Thing key={key} kind={kind} of={key} />;
}

interface Row {
  readonly key: string;
  readonly name: string;
  readonly more: string;
}

/** The server gives the list page by page. */
function List({ kind }: { readonly kind: Kind }) {
  const { route } = useLocation();
  const pages = usePages({
    key: [kind.id, 'list', kind.list],
    ask: (after, options) =>
      orEmpty(
        api.ask(
          {
            method: 'LIST',
            path: `v1/${encodedPath(kind.list)}`,
            query: { limit: String(rowsPerPage), ...(after === '' ? {} : { after }) },
          },
          options,
        ),
      ),
    rows: ({ data }) => listIn(data, 'keys').map((key) => [key, memberOf(data, 'key_info', String(key)) ?? null]),
    next({ data }) {
      const keys = listIn(data, 'keys');
      return keys.length < rowsPerPage ? '' : String(keys.at(-1));
    },
    everyMs: undefined,
  });
  const { first, failure } = pages;
  const refusal = useMakingRefusal(makingPath(kind));
  return (
    <>
      <div class="access-bar">
        <Open kind={kind} />
        <LinkButton look="primary" icon="plus" refusal={refusal} href={kind.url({ new: '1' })}>
          New {kind.noun}
        </LinkButton>
      </div>
      {first === undefined ? (
        failure === undefined ? (
          <Skeleton />
        ) : (
          <Failed failure={failure} again={pages.again} />
        )
      ) : pages.length === 0 ? (
        <div class="card">
          <State icon={kind.icon} title={`No ${kind.noun} yet`}>
            {kind.empty}
          </State>
        </div>
      ) : (
        <Table
          label={kind.title}
          columns={columnsOf(kind)}
          length={pages.length}
          rowAt={(index) => rowOf(kind, pages.rowAt(index))}
          onShow={pages.show}
          onOpen={({ key }) => route(kind.url({ key }))}
          footer={<span role="status">{lengthOf(pages, 'entry', 'entries')}</span>}
        />
      )}
    </>
  );
}

/** A long list is not searched: what is known by its key is opened by it. */
function Open({ kind }: { readonly kind: Kind }) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const open = (event: Event) => {
    event.preventDefault();
    if (typed.trim() !== '') route(kind.url({ key: typed.trim() }));
  };
  return (
    <search>
      <Form class="access-open" onSubmit={open}>
        <TextField
          label={kind.create === undefined ? 'Open by name' : 'Open by ID'}
          type="search"
          value={typed}
          onValue={setTyped}
        />
        <Button type="submit">Open</Button>
      </Form>
    </search>
  );
}

function rowOf(kind: Kind, row: Value | undefined): Row | undefined {
  if (!Array.isArray(row)) return undefined;
  const [key, info] = row as readonly Value[];
  const name = textOf(info, 'name');
  return { key: String(key), name: name || String(key), more: kind.more?.(info) ?? (name === '' ? '' : String(key)) };
}

const columnsOf = ({ icon, create }: Kind): readonly Column<Row>[] => [
  {
    name: 'Name',
    width: 'minmax(0, 1fr)',
    cell: ({ name }) => (
      <span class="named" title={name}>
        <Icon name={icon} />
        <span class="cut">{name}</span>
      </span>
    ),
  },
  ...(create === undefined
    ? []
    : [
        {
          name: 'Details',
          width: 'minmax(0, 1fr)',
          wideOnly: true,
          cell: ({ more }: Row) => <span class="quiet cut">{more}</span>,
        },
      ]),
];
