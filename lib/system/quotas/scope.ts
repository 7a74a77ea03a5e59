import { badField } from '#core/errors.ts';
import { rootNamespace } from '#core/namespace.ts';
import type { Mounts } from '#mounts/contract/mounts.ts';
import type { NamespaceTable } from '#mounts/contract/namespaces.ts';
import { bool, text } from '#path/fields.ts';
import type { QuotaScope } from '#quotas/quota.ts';

export const scopeFields = {
  path: text(2_048).optional().meta({
    description: 'A mount, or a path below one, where a final * matches any rest; empty for all requests',
  }),
  role: text(255).optional().meta({ description: 'Only logins with this role of an auth method' }),
  inheritable: bool().optional().meta({ description: 'Whether it also applies to the namespaces below' }),
};

interface Given {
  readonly path?: string | undefined;
  readonly role?: string | undefined;
  readonly inheritable?: boolean | undefined;
}

/** The parts that check the path and the role of a quota. */
export interface ScopeParts {
  readonly mounts: Mounts & Pick<NamespaceTable, 'locate'>;
  /** Whether logins at mounts of a type name a role. */
  readonly hasRoles: (type: string) => boolean;
}

/**
 * The scope after a change; absent fields keep their value. The path of a mount is stored with its trailing slash.
 *
 * @throws AppError `bad-request` for a path below no mount, and for a role on a mount without logins
 */
export async function scopeAfter(parts: ScopeParts, before: QuotaScope | undefined, given: Given): Promise<QuotaScope> {
  const { mounts } = parts;
  const { path, namespace_path } =
    given.path === undefined ? storedPath(before) : await soundPath(mounts, given.path.replace(/^\/+/, ''));
  const role = given.role ?? before?.role ?? '';
  if (role !== '' && !(await isOfLogins(parts, { path, namespace_path })))
    throw badField(
      given.role === undefined ? 'path' : 'role',
      'role can only be specified for auth mounts with the concept of roles',
    );
  const inheritable = given.inheritable ?? before?.inheritable ?? path === '';
  if (inheritable && path !== namespace_path)
    throw badField(
      given.inheritable === undefined ? 'path' : 'inheritable',
      'inheritable can only be set when the path is a namespace',
    );
  return { path, role, inheritable, namespace_path };
}

type QuotaPath = Pick<QuotaScope, 'path'> & { readonly namespace_path: string };

const storedPath = ({ path, namespace_path = '' }: Partial<QuotaScope> = {}): QuotaPath => ({
  path: path ?? '',
  namespace_path,
});

/** Whether the path lies at or below an auth mount whose logins name roles. */
async function isOfLogins({ mounts, hasRoles }: ScopeParts, { path }: QuotaPath): Promise<boolean> {
  const { namespace, path: below } = (await mounts.locate('', path)) ?? { namespace: rootNamespace, path };
  const mount = await mounts.resolve(below, namespace);
  return mount?.path.startsWith('auth/') === true && hasRoles(mount.type);
}

async function soundPath(mounts: ScopeParts['mounts'], given: string): Promise<QuotaPath> {
  if (given === '' || given === '*') return { path: '', namespace_path: '' };
  const own = given.endsWith('*') ? given.slice(0, -1) : given;
  if (own.includes('*')) throw badField('path', 'a quota path may contain * only at its end');
  const { namespace, path: below } = (await mounts.locate('', own)) ?? { namespace: rootNamespace, path: own };
  const namespace_path = namespace.path;
  if (below === '' || `${own}/` === namespace_path) return { path: namespace_path, namespace_path };
  const exact = await mounts.in(namespace).find(`${below.replace(/\/+$/, '')}/`);
  if (exact !== undefined) {
    const path = namespace_path + exact.path;
    return { path: given === `${path}*` ? given : path, namespace_path };
  }
  if ((await mounts.resolve(below, namespace)) === undefined)
    throw badField('path', `invalid mount path ${JSON.stringify(given)}`);
  return { path: given, namespace_path };
}
