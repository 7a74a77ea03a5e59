import { system } from '#client/operations/system.ts';
import { api } from '#ui/state/api.ts';
import type { WrittenKind } from '../written/saving.ts';
import { EditWritten } from '../written/written.tsx';
import { Sample } from './sample.tsx';

interface EditProps {
  /** Undefined for a new one. */
  readonly name: string | undefined;
  readonly stored: string;
}

const passwords: WrittenKind = {
  noun: 'password policy',
  part: 'passwords',
  listKey: 'password-policies',
  oneKey: 'password-policy',
  label: 'Rules',
  hint: 'HCL or JSON: a length of 4 to 100, and for each charset how many of its characters there are at least.',
  consequence: 'Nothing can generate passwords by it any more. Passwords that it made stay as they are.',
  pathOf: (name) => `sys/policies/password/${name}`,
  write: (name, policy) => api.call(system.writePasswordPolicy, { name }, { policy }),
};

/** The text of a password policy, with a sample of what it makes. */
export const EditPasswords = ({ name, stored }: EditProps) => (
  <EditWritten {...{ kind: passwords, name, stored }}>
    {({ isSame }) => (name === undefined ? null : <Sample name={name} isEdited={!isSame} />)}
  </EditWritten>
);
