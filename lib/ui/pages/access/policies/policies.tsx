import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { textsOf } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { counted } from '#ui/parts/relative.ts';
import { Answer, State } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { useQuery } from '#ui/state/use-query.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { accessUrl } from '../address.ts';
import { Policy } from './policy.tsx';
import { Tester } from './tester.tsx';

const newPath = 'sys/policies/acl/new';

/** The policies of the namespace, one of them, or a new one. */
export function Policies() {
  const { query } = useLocation();
  const name = query['key'];
  if (query['new'] !== undefined) return <Policy key="new" name={undefined} />;
  return name === undefined ? <List find={query['find'] ?? ''} /> : <Policy key={name} name={name} />;
}

function List({ find }: { readonly find: string }) {
  const { route } = useLocation();
  const asked = useQuery({
    key: ['policies'],
    ask: (options) => api.call(system.listPolicies, {}, undefined, options),
  });
  const rights = useRights([newPath]);
  const search = (text: string) => route(accessUrl('policies', { find: text }), true);
  return (
    <>
      <div class="access-bar">
        <search class="access-open">
          <TextField label="Find" type="search" value={find} onValue={search} />
        </search>
        <LinkButton
          look="primary"
          icon="plus"
          refusal={rights.refusal('update', newPath)}
          href={accessUrl('policies', { new: '1' })}
        >
          New policy
        </LinkButton>
      </div>
      <Answer asked={asked}>
        {({ data }) => {
          // The server gives all names of the namespace in one reply, so the filter sees them all.
          const names = textsOf(data, 'keys').filter((name) => name.includes(find.toLowerCase()));
          if (names.length === 0) return <NoMatch onClear={() => search('')} />;
          return (
            <Table
              label="Policies"
              columns={columns}
              length={names.length}
              rowAt={(index) => names[index]}
              onOpen={(name) => route(accessUrl('policies', { key: name }))}
              footer={<span role="status">{counted(names.length, 'policy', 'policies')}</span>}
            />
          );
        }}
      </Answer>
      <Tester policy={undefined} />
    </>
  );
}

const columns: readonly Column<string>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 1fr)',
    cell: (name) => (
      <span class="named" title={name}>
        <Icon name="lock" />
        <span class="cut">{name}</span>
      </span>
    ),
  },
];

const NoMatch = ({ onClear }: { readonly onClear: () => void }) => (
  <div class="card">
    <State icon="search" title="No policy matches" actions={<Button onPress={onClear}>Clear</Button>}>
      None has this in its name.
    </State>
  </div>
);
