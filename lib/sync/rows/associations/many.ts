import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { sentOf } from '#core/problem.ts';
import { atMost, bool, text, textList } from '#path/fields.ts';

const namesMax = 1_000;

/** Fields that select several secrets of a mount, instead of `secret_name`. */
export const manyFields = {
  secret_prefix: text()
    .optional()
    .meta({ description: 'Instead of secret_name: all secrets whose path below the mount starts with this' }),
  secret_names: textList()
    .pipe(z.array(z.string()).max(namesMax, atMost(namesMax, 'entries')))
    .optional()
    .meta({ description: `Instead of secret_name: the paths of up to ${namesMax} secrets below the mount` }),
  dry_run: bool().optional().meta({ description: 'With several secrets: only count what would be changed' }),
};

export interface Many {
  readonly type: string;
  readonly name: string;
  readonly mount: string;
  readonly secret_name?: string | undefined;
  readonly secret_prefix?: string | undefined;
  readonly secret_names?: readonly string[] | undefined;
  readonly dry_run?: boolean | undefined;
}

/** Whether a request concerns several secrets. @throws AppError `bad-request` unless exactly one of the fields selects secrets */
export function isMany(input: Many): boolean {
  const { secret_name, secret_prefix, secret_names, dry_run } = input;
  const given = [secret_name, secret_prefix, secret_names].filter((value) => value !== undefined).length;
  if (given > 1)
    throw badField(
      sentOf(input, ['secret_name', 'secret_prefix', 'secret_names']),
      'secret_name, secret_prefix and secret_names exclude each other: send one of them',
    );
  if (dry_run === true && secret_name !== undefined)
    throw badField('dry_run', 'dry_run needs secret_prefix or secret_names');
  return secret_prefix !== undefined || secret_names !== undefined;
}

/** The path of a secret below its mount. */
export const belowMount = (path: string): string => path.replace(/^\/+/, '');

/** The path of a mount, with a trailing slash. */
export const withSlash = (mount: string): string => `${mount.replace(/^\/+|\/+$/g, '')}/`;
