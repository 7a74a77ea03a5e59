import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { kv1, kv2 } from '#client/operations/kv.ts';
import { TypedFilter } from '../../form/typed-filter.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Failed, Skeleton, Stale, State } from '../../parts/states.tsx';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { orEmpty } from '../../state/use-query.ts';
import { lengthOf, listIn, type Pages, rowsPerPage, usePages } from '../../table/pages.ts';
import { type Column, Table } from '../../table/table.tsx';
import { justBefore, type SecretMount, type SecretPlace, secretsUrl } from './address.ts';
import { Way } from './way.tsx';
import { Write } from './write/form.tsx';

/** A listing has no change of its own to wait for, so it is asked for more rarely than a state. */
const listEveryMs = 10_000;

interface FolderProps {
  readonly mount: SecretMount;
  readonly place: SecretPlace;
}

/** One folder, page by page from the server, also when only names with a prefix are shown. */
export function Folder({ mount, place }: FolderProps) {
  const { route } = useLocation();
  const [isWriting, setWriting] = useState(false);
  const { folder, find } = place;
  const pages = useFolder(mount, folder, find);
  const probe = `${mount.path}/${mount.hasVersions ? 'data/' : ''}${folder}${find || 'new'}`;
  const rights = useRights([probe]);
  const open = (name: string) =>
    route(
      secretsUrl(
        name.endsWith('/')
          ? { mount: mount.path, folder: `${folder}${name}` }
          : { mount: mount.path, secret: `${folder}${name}` },
      ),
    );
  return (
    <>
      <div class="head">
        <div>
          <Way mount={mount.path} path={folder} />
          <h1 class="wrap">{folder === '' ? mount.path : folder.split('/').at(-2)}</h1>
        </div>
        <div class="actions">
          <Button look="primary" icon="plus" refusal={rights.refusal('create', probe)} onPress={() => setWriting(true)}>
            New secret
          </Button>
        </div>
      </div>
      <search class="filters">
        <TypedFilter
          label="Name begins with"
          value={find}
          onValue={(next) => route(secretsUrl({ mount: mount.path, folder, find: next }), true)}
        />
      </search>
      <Names
        pages={pages}
        find={find}
        onOpen={open}
        onClear={() => route(secretsUrl({ mount: mount.path, folder }), true)}
      />
      {isWriting ? (
        <Write
          mount={mount}
          path={`${folder}${find}`}
          onDone={(path) => route(secretsUrl({ mount: mount.path, secret: path }))}
          onClose={() => setWriting(false)}
        />
      ) : null}
    </>
  );
}

function useFolder(mount: SecretMount, folder: string, find: string): Pages {
  const list = mount.hasVersions ? kv2.list : kv1.list;
  const matches = (name: unknown): boolean => String(name).startsWith(find);
  return usePages({
    key: ['secrets', mount.path, folder, find],
    ask: (after, options) =>
      orEmpty(
        api.call(
          list,
          { mount: mount.path, path: folder },
          { limit: rowsPerPage, after: after === '' ? justBefore(find) : after },
          options,
        ),
      ),
    rows: ({ data }) => listIn(data, 'keys').filter(matches),
    next({ data }) {
      const names = listIn(data, 'keys');
      const last = names.at(-1);
      return names.length < rowsPerPage || !matches(last) ? '' : String(last);
    },
    everyMs: listEveryMs,
  });
}

interface NamesProps {
  readonly pages: Pages;
  readonly find: string;
  readonly onOpen: (name: string) => void;
  readonly onClear: () => void;
}

function Names({ pages, find, onOpen, onClear }: NamesProps) {
  const { first, failure } = pages;
  if (first === undefined)
    return failure === undefined ? <Skeleton lines={8} /> : <Failed failure={failure} again={pages.again} />;
  if (pages.length === 0) return find === '' ? <Empty /> : <NoMatch onClear={onClear} />;
  return (
    <>
      <Stale asked={{ reply: first, failure, at: pages.at, again: pages.again }} />
      <Table
        label="Secrets"
        columns={columns}
        length={pages.length}
        rowAt={(index) => {
          const row = pages.rowAt(index);
          return row === undefined ? undefined : String(row);
        }}
        onShow={pages.show}
        onOpen={onOpen}
        footer={
          <>
            <span role="status">{lengthOf(pages, 'name')}</span>
            <span>Enter opens</span>
          </>
        }
      />
    </>
  );
}

const columns: readonly Column<string>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 1fr)',
    cell: (name) => (
      <span class="named" title={name}>
        <Icon name={name.endsWith('/') ? 'folder' : 'key'} />
        <span class="cut">{name.endsWith('/') ? name.slice(0, -1) : name}</span>
      </span>
    ),
  },
  {
    name: 'Kind',
    width: '7rem',
    cell: (name) => <span class="quiet">{name.endsWith('/') ? 'Folder' : 'Secret'}</span>,
  },
];

const Empty = () => (
  <div class="card">
    <State icon="key" title="No secret here yet">
      A folder is there as soon as a secret is in it.
    </State>
  </div>
);

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <div class="card">
    <State icon="search" title="No name begins with this" actions={<Button onPress={onClear}>Clear</Button>}>
      Only names in this folder are searched. Upper and lower case differ.
    </State>
  </div>
);
