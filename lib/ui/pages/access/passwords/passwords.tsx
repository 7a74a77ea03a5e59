import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { textOf, textsOf } from '#client/wire/json.ts';
import { LinkButton } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { counted } from '#ui/parts/relative.ts';
import { Answer, State } from '#ui/parts/states.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { orEmpty, useQuery } from '#ui/state/use-query.ts';
import { type Column, Table } from '#ui/table/table.tsx';
import { accessUrl } from '../address.ts';
import { EditPasswords } from './edit.tsx';

const newPath = 'sys/policies/password/new';
const firstText = `length = 20

rule "charset" {
  charset = "abcdefghijklmnopqrstuvwxyz"
}

rule "charset" {
  charset = "0123456789"
  min-chars = 2
}
`;

/** Rules by which passwords are made: their list, one of them, or a new one. */
export function PasswordPolicies() {
  const { query } = useLocation();
  if (query['new'] !== undefined)
    return (
      <>
        <Back />
        <EditPasswords key="new" name={undefined} stored={firstText} />
      </>
    );
  const name = query['key'];
  return name === undefined ? <List /> : <One key={name} name={name} />;
}

function One({ name }: { readonly name: string }) {
  const asked = useQuery({
    key: ['password-policy', name],
    ask: (options) => api.call(system.readPasswordPolicy, { name }, undefined, options),
  });
  return (
    <>
      <Back />
      <Answer asked={asked}>{({ data }) => <EditPasswords name={name} stored={textOf(data, 'policy')} />}</Answer>
    </>
  );
}

const Back = () => (
  <nav class="way" aria-label="Way back">
    <a href={accessUrl('passwords')}>Password policies</a>
  </nav>
);

/** The server gives all names in one reply. */
function List() {
  const { route } = useLocation();
  const rights = useRights([newPath]);
  const asked = useQuery({
    key: ['password-policies'],
    ask: (options) => orEmpty(api.call(system.listPasswordPolicies, {}, undefined, options)),
  });
  return (
    <>
      <div class="access-bar">
        <span />
        <LinkButton
          look="primary"
          icon="plus"
          refusal={rights.refusal('update', newPath)}
          href={accessUrl('passwords', { new: '1' })}
        >
          New password policy
        </LinkButton>
      </div>
      <Answer asked={asked}>
        {({ data }) => {
          const names = textsOf(data, 'keys');
          if (names.length === 0) return <Empty />;
          return (
            <Table
              label="Password policies"
              columns={columns}
              length={names.length}
              rowAt={(index) => names[index]}
              onOpen={(name) => route(accessUrl('passwords', { key: name }))}
              footer={<span role="status">{counted(names.length, 'password policy', 'password policies')}</span>}
            />
          );
        }}
      </Answer>
    </>
  );
}

const Empty = () => (
  <div class="card">
    <State icon="key" title="No password policy yet">
      It sets the length of generated passwords, and which characters they must have.
    </State>
  </div>
);

const columns: readonly Column<string>[] = [
  {
    name: 'Name',
    width: 'minmax(0, 1fr)',
    cell: (name) => (
      <span class="named" title={name}>
        <Icon name="key" />
        <span class="cut">{name}</span>
      </span>
    ),
  },
];
