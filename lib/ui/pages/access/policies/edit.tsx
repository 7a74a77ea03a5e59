import { system } from '#client/operations/system.ts';
import { api } from '#ui/state/api.ts';
import type { WrittenKind } from '../written/saving.ts';
import { EditWritten } from '../written/written.tsx';
import { Tester } from './tester.tsx';

interface EditProps {
  /** Undefined for a new policy. */
  readonly name: string | undefined;
  readonly stored: string;
}

const policies: WrittenKind = {
  noun: 'policy',
  part: 'policies',
  listKey: 'policies',
  oneKey: 'policy',
  label: 'Policy',
  hint: 'HCL or JSON. Capabilities: create, read, update, patch, delete, list, sudo, deny.',
  consequence: 'Tokens that have it lose what it grants at once.',
  pathOf: (name) => `sys/policies/acl/${name}`,
  write: (name, policy) => api.call(system.writePolicy, { name }, { policy }),
};

/** Their texts cannot be changed. */
const fixed: readonly (string | undefined)[] = ['root', 'response-wrapping'];

export const Edit = ({ name, stored }: EditProps) => (
  <EditWritten
    {...{ kind: policies, name, stored }}
    lock={fixed.includes(name) ? 'This policy is built in and cannot be changed.' : undefined}
    keep={name === 'default' ? 'This policy is built in: it can be changed, not deleted.' : undefined}
  >
    {({ text, onMistake, onFound }) => (name === 'root' ? null : <Tester policy={text} {...{ onMistake, onFound }} />)}
  </EditWritten>
);
