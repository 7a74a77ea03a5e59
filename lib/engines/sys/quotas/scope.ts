import { badRequest } from '../../../core/errors.ts';
import { bool, text } from '../../../path/fields.ts';
import type { Mounts } from '../../contract.ts';
import type { QuotaScope } from './quota.ts';

export const scopeFields = {
  path: text(2_048).optional().meta({
    description: 'A mount, or a path below one; * at its end stands for the rest. Empty: all requests',
  }),
  role: text(255).optional().meta({ description: 'Only for logins by this role of an auth method' }),
  inheritable: bool().optional().meta({ description: 'It holds in the namespaces below as well' }),
};

interface Given {
  readonly path?: string | undefined;
  readonly role?: string | undefined;
  readonly inheritable?: boolean | undefined;
}

/**
 * What is not given stays as it was. The path of a mount is kept with its slash.
 *
 * @throws AppError `bad-request` for a path below no mount, and for a role where nobody logs in
 */
export async function scopeAfter(mounts: Mounts, before: QuotaScope | undefined, given: Given): Promise<QuotaScope> {
  const path =
    given.path === undefined ? (before?.path ?? '') : await soundPath(mounts, given.path.replace(/^\/+/, ''));
  const role = given.role ?? before?.role ?? '';
  if (role !== '' && !path.startsWith('auth/'))
    throw badRequest('role can only be specified for auth mounts with the concept of roles');
  return { path, role, inheritable: given.inheritable ?? before?.inheritable ?? path === '' };
}

async function soundPath(mounts: Mounts, path: string): Promise<string> {
  if (path === '' || path === '*') return '';
  const own = path.endsWith('*') ? path.slice(0, -1) : path;
  if (own.includes('*')) throw badRequest('a quota path may have a * at its end only');
  const exact = await mounts.find(`${own.replace(/\/+$/, '')}/`);
  if (exact !== undefined) return exact.path;
  if ((await mounts.resolve(own)) === undefined) throw badRequest(`invalid mount path ${JSON.stringify(path)}`);
  return path;
}
