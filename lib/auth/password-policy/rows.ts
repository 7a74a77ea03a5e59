import { randomInt } from 'node:crypto';
import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { policyText, writeText } from '../policy/rows/write.ts';
import { openTexts, type TextStore, type TextsOf } from '../policy/store/texts.ts';
import { type PasswordPolicy, parsePasswordPolicy } from './parse.ts';

/**
 * Attempts to make a password. Writing a policy allows few attempts, so that generating a password with a stored policy, which allows
 * many, succeeds.
 */
const attemptsMax = { write: 100, generate: 10_000 };

const name = { name: pathText('Name of the password policy') };

/** `sys/policies/password`: password policies, and passwords that they generate. */
export const passwordPolicyRows = ({ store }: { readonly store: Store }): readonly Row[] => {
  const stored = openTexts({ store }, 'password_policies');
  const policies: TextsOf = (namespace) => checked(stored(namespace));
  return [listRow(policies), policyRow(policies), generateRow(policies)];
};

const checked = (stored: TextStore): TextStore => ({
  ...stored,
  async write(name, text) {
    generate(text, attemptsMax.write, ['policy']);
    return stored.write(name, text);
  },
});

/** @throws AppError `bad-request` */
function generate(text: string, attempts: number, fields: readonly 'policy'[]): string {
  const password = generatePassword(parsePasswordPolicy(text), attempts);
  if (password !== undefined) return password;
  throw badField(fields, `no password satisfied the rules in ${attempts} attempts: lower "min-chars"`);
}

const listRow = (policies: TextsOf): Row => ({
  pattern: 'policies/password',
  help: 'Lists password policies.',
  operations: {
    list: operation(
      {},
      {
        summary: 'List password policies',
        run: async (_input, { namespace }) => ({ data: { keys: await policies(namespace).names() } }),
      },
    ),
  },
});

const policyRow = (policies: TextsOf): Row => ({
  pattern: 'policies/password/:name',
  help: 'Manages a password policy, which sets the length of passwords and rules for their characters.',
  operations: {
    read: operation(name, {
      summary: 'Read a password policy',
      async run(input, { namespace }) {
        const policy = await policies(namespace).read(input.name.toLowerCase());
        return policy === undefined ? undefined : { data: { policy } };
      },
    }),
    write: operation(
      { ...name, policy: policyText() },
      {
        summary: 'Create or replace a password policy',
        run: (input, context) => writeText(policies(context.namespace), input, context),
      },
    ),
    delete: operation(name, {
      summary: 'Delete a password policy',
      async run(input, { namespace }) {
        await policies(namespace).remove(input.name.toLowerCase());
        return undefined;
      },
    }),
  },
});

const generateRow = (policies: TextsOf): Row => ({
  pattern: 'policies/password/:name/generate',
  help: 'Generates a password, which is not stored.',
  operations: {
    read: operation(name, {
      summary: 'Generate a password',
      async run(input, { namespace }) {
        const text = await policies(namespace).read(input.name.toLowerCase());
        if (text === undefined) return undefined;
        return { data: { password: generate(text, attemptsMax.generate, []) } };
      },
    }),
  },
});

/**
 * A random password. Whole passwords are drawn until one satisfies the rules, so all allowed passwords are equally likely. Undefined when
 * none of `attemptsMax` passwords did.
 */
export function generatePassword({ length, rules }: PasswordPolicy, attemptsMax: number): string | undefined {
  const all = [...new Set(rules.flatMap(({ charset }) => charset))];
  const wanted = rules.map(({ charset, charactersMin }) => ({ charset: new Set(charset), charactersMin }));
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const drawn = Array.from({ length }, () => all[randomInt(all.length)] ?? '');
    const holds = wanted.every(
      ({ charset, charactersMin }) => drawn.filter((one) => charset.has(one)).length >= charactersMin,
    );
    if (holds) return drawn.join('');
  }
  return undefined;
}
