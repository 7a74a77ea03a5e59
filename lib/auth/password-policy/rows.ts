import { badRequest } from '../../core/errors.ts';
import { operation, type Row } from '../../path/contract/row.ts';
import { pathText } from '../../path/fields.ts';
import { policyText, writeText } from '../policy/rows/write.ts';
import type { TextStore, TextsOf } from '../policy/store/texts.ts';
import { generatePassword } from './generate.ts';
import { parsePasswordPolicy } from './parse.ts';

/**
 * Attempts to make a password. A policy is stored only if one is found among few, so that one of a stored policy is found among
 * many.
 */
const attemptsMax = { write: 100, generate: 10_000 };

const name = { name: pathText('Name of the password policy') };

/** `sys/policies/password`: how passwords are made, and passwords made so. */
export const passwordPolicyRows = (stored: TextsOf): readonly Row[] => {
  const policies: TextsOf = (namespace) => checked(stored(namespace));
  return [listRow(policies), policyRow(policies), generateRow(policies)];
};

const checked = (stored: TextStore): TextStore => ({
  ...stored,
  async write(name, text) {
    generated(text, attemptsMax.write);
    return stored.write(name, text);
  },
});

/** @throws AppError `bad-request` */
function generated(text: string, attempts: number): string {
  const password = generatePassword(parsePasswordPolicy(text), attempts);
  if (password !== undefined) return password;
  throw badRequest(`no password that the rules allow was found in ${attempts} attempts: lower "min-chars"`);
}

const listRow = (policies: TextsOf): Row => ({
  pattern: 'policies/password',
  help: 'Lists the password policies.',
  operations: {
    list: operation(
      {},
      {
        summary: 'List the password policies.',
        run: async (_input, { namespace }) => ({ data: { keys: await policies(namespace).names() } }),
      },
    ),
  },
});

const policyRow = (policies: TextsOf): Row => ({
  pattern: 'policies/password/:name',
  help: 'A password policy: the length of passwords, and rules of the characters that they are made of.',
  operations: {
    read: operation(name, {
      summary: 'Read a password policy as it was written.',
      async run(input, { namespace }) {
        const policy = await policies(namespace).read(input.name.toLowerCase());
        return policy === undefined ? undefined : { data: { policy } };
      },
    }),
    write: operation(
      { ...name, policy: policyText() },
      {
        summary: 'Create or replace a password policy.',
        run: (input, context) => writeText(policies(context.namespace), input, context),
      },
    ),
    delete: operation(name, {
      summary: 'Delete a password policy.',
      async run(input, { namespace }) {
        await policies(namespace).remove(input.name.toLowerCase());
        return undefined;
      },
    }),
  },
});

const generateRow = (policies: TextsOf): Row => ({
  pattern: 'policies/password/:name/generate',
  help: 'Makes a password. It is stored nowhere.',
  operations: {
    read: operation(name, {
      summary: 'Make a password by a policy.',
      async run(input, { namespace }) {
        const text = await policies(namespace).read(input.name.toLowerCase());
        if (text === undefined) return undefined;
        return { data: { password: generated(text, attemptsMax.generate) } };
      },
    }),
  },
});
