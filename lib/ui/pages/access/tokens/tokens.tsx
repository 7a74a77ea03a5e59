import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { auth } from '#client/operations/auth.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { Failed, Skeleton } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { orEmpty } from '#ui/state/use-query.ts';
import { lengthOf, listIn, rowsPerPage, usePages } from '#ui/table/pages.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { accessUrl } from '../address.ts';
import { NewToken } from './create.tsx';
import { Token } from './token.tsx';

const createPath = 'auth/token/create';

/** Tokens by their accessors. A token itself is shown once, to whoever creates it. */
export function Tokens() {
  const { query } = useLocation();
  const accessor = query['key'] ?? '';
  if (query['new'] !== undefined) return <NewToken />;
  return accessor === '' ? <List /> : <Token key={accessor} accessor={accessor} />;
}

function List() {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const pages = usePages({
    key: ['tokens', 'list'],
    ask: (after, options) => orEmpty(api.call(auth.listAccessors, {}, { after, limit: rowsPerPage }, options)),
    rows: ({ data }) => listIn(data, 'keys'),
    next({ data }) {
      const keys = listIn(data, 'keys');
      return keys.length < rowsPerPage ? '' : String(keys.at(-1));
    },
    everyMs: undefined,
  });
  const rights = useRights([createPath]);
  const open = (accessor: string) => route(accessUrl('tokens', { key: accessor.trim() }));
  return (
    <>
      <div class="access-bar">
        <search>
          <Form
            class="access-open"
            onSubmit={(event) => {
              event.preventDefault();
              if (typed.trim() !== '') open(typed);
            }}
          >
            <TextField label="Look up by accessor" type="search" value={typed} onValue={setTyped} />
            <Button type="submit">Look up</Button>
          </Form>
        </search>
        <LinkButton
          look="primary"
          icon="plus"
          refusal={rights.refusal('update', createPath)}
          href={accessUrl('tokens', { new: '1' })}
        >
          New token
        </LinkButton>
      </div>
      {pages.first === undefined ? (
        pages.failure === undefined ? (
          <Skeleton />
        ) : (
          <Failed failure={pages.failure} again={pages.again} />
        )
      ) : (
        <Table
          label="Accessors of tokens"
          columns={columns}
          length={pages.length}
          rowAt={(index) => {
            const row = pages.rowAt(index);
            return row === undefined ? undefined : String(row);
          }}
          onShow={pages.show}
          onOpen={open}
          footer={<span role="status">{lengthOf(pages, 'token')}</span>}
        />
      )}
    </>
  );
}

const columns: readonly Column<string>[] = [
  {
    name: 'Accessor',
    width: 'minmax(0, 1fr)',
    cell: (accessor) => (
      <span class="named">
        <Icon name="key" />
        <code class="cut">{accessor}</code>
      </span>
    ),
  },
];
