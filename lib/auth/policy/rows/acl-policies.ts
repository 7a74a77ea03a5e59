import { operation, type Row } from '../../../path/contract/row.ts';
import type { TextsOf } from '../store/texts.ts';
import { nameField, policyText, storedName, writeText } from './write.ts';

/** `sys/policies/acl`. A name may hold slashes, so nothing is listed below. */
export const aclPolicyRows = (policies: TextsOf): readonly Row[] => [
  {
    pattern: 'policies/acl',
    help: 'Lists the policies.',
    operations: {
      list: operation(
        {},
        {
          summary: 'List the policies.',
          run: async (_input, { namespace }) => ({ data: { keys: await policies(namespace).names() } }),
        },
      ),
    },
  },
  {
    pattern: 'policies/acl/*name',
    restIsName: true,
    help: 'A policy: which paths its holders may use, and how.',
    operations: {
      read: operation(nameField, {
        summary: 'Read a policy as it was written.',
        async run(input, { namespace }) {
          const name = storedName(input.name);
          const policy = await policies(namespace).read(name);
          return policy === undefined ? undefined : { data: { name, policy } };
        },
      }),
      write: operation(
        { ...nameField, policy: policyText() },
        {
          summary: 'Create or replace a policy. It holds from the next request on.',
          run: (input, context) => writeText(policies(context.namespace), input, context),
        },
      ),
      delete: operation(nameField, {
        summary: 'Delete a policy. Tokens keep its name, which then grants nothing.',
        async run(input, { namespace }) {
          await policies(namespace).remove(storedName(input.name));
          return undefined;
        },
      }),
    },
  },
];
