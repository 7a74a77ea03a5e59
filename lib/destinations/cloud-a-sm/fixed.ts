// Beyond the usual files: what is fixed is a part of a field.
import type { Connection } from './fields.ts';

/** In another account the copies are other ones. Without a role the credentials alone know the account. */
export function fixed({ role_arn }: Connection): Readonly<Record<string, unknown>> {
  const account = role_arn?.split(':')[4];
  return account === undefined ? {} : { 'the account of role_arn': account };
}
