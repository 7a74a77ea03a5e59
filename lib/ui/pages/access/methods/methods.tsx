import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { LinkButton } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { counted } from '#ui/parts/relative.ts';
import { Answer } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { accessUrl } from '../address.ts';
import { EnableMethod } from './enable.tsx';
import { Method } from './method.tsx';
import { type AuthMount, authMountsOf } from './mount.ts';

/** The ways to log in: where they are mounted, and what each of them knows. */
export function Methods() {
  const { query } = useLocation();
  const asked = useQuery({
    key: ['auth-mounts'],
    ask: (options) => api.call(system.authMounts, {}, undefined, options),
  });
  if (query['new'] !== undefined && query['mount'] === undefined) return <EnableMethod />;
  return (
    <Answer asked={asked}>
      {({ data }) => {
        const mounts = authMountsOf(data);
        const mount = mounts.find(({ path }) => path === query['mount']);
        return mount === undefined ? <List mounts={mounts} /> : <Method key={mount.path} mount={mount} />;
      }}
    </Answer>
  );
}

const enablePath = 'sys/auth/new';

function List({ mounts }: { readonly mounts: readonly AuthMount[] }) {
  const { route } = useLocation();
  const rights = useRights([enablePath]);
  return (
    <>
      <div class="access-bar">
        <span />
        <LinkButton
          look="primary"
          icon="plus"
          refusal={rights.refusal('sudo', enablePath)}
          href={accessUrl('methods', { new: '1' })}
        >
          Enable a method
        </LinkButton>
      </div>
      <Table
        label="Auth methods"
        columns={columns}
        length={mounts.length}
        rowAt={(index) => mounts[index]}
        onOpen={({ path }) => route(accessUrl('methods', { mount: path }))}
        footer={<span role="status">{counted(mounts.length, 'method')}</span>}
      />
    </>
  );
}

const columns: readonly Column<AuthMount>[] = [
  {
    name: 'Path',
    width: 'minmax(0, 1fr)',
    cell: ({ path }) => (
      <span class="named" title={path}>
        <Icon name="person" />
        <span class="cut">{path}</span>
      </span>
    ),
  },
  { name: 'Type', width: '8rem', cell: ({ type }) => type },
  {
    name: 'Accessor',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: ({ accessor }) => <code class="quiet cut">{accessor}</code>,
  },
  {
    name: 'Description',
    width: 'minmax(0, 1fr)',
    wideOnly: true,
    cell: ({ description }) => <span class="quiet cut">{description}</span>,
  },
];
