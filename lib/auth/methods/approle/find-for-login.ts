import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { objectOf, type RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type LoginName, loginName } from '../../lockout/aliases.ts';
import { failuresOf } from '../../lockout/store.ts';
import type { Role } from './role.ts';
import { roleColumns, roleOf } from './roles-store.ts';
import { lasting, type UsedSecretId, usedColumns } from './secret-ids-store.ts';

/** The ids that came with a login. */
export interface GivenIds {
  readonly mountId: string;
  readonly roleId: string;
  /** The hash of the secret id. */
  readonly hash: Buffer;
}

export interface FoundForLogin {
  readonly name: LoginName;
  /** Undefined when the role does not exist. */
  readonly role: Role | undefined;
  /** Undefined when the role has no such secret id. */
  readonly secretId: UsedSecretId | undefined;
  /** Whether failed logins with the role id are counted, or it is locked out. */
  readonly hasFailures: boolean;
}

export type FindForLogin = (given: GivenIds) => Promise<FoundForLogin>;

type Found = RowOf<typeof foundColumns>;

const foundColumns = {
  n: int,
  role: nullable(objectOf(roleColumns)),
  secret: nullable(objectOf(usedColumns)),
  has_failures: bool,
};

/** Finds the roles of logins, in the same way whether they exist or not. Concurrent logins share a statement. */
export function loginFinder({ db, barrier }: Pick<Store, 'db' | 'barrier'>): FindForLogin {
  return coalesce(
    async (logins: readonly GivenIds[]) => {
      const names = logins.map(({ mountId, roleId }) => loginName(barrier, mountId, roleId));
      const asked = names.map(({ mountId, ...name }, n) => ({
        n,
        mount_id: mountId,
        ...name,
        hash: logins[n]?.hash.toString('hex'),
      }));
      const { rows } = await rowsOf(foundColumns)`
        select i.n, case when r.id is not null then jsonb_build_object('id', r.id, 'name', r.name, 'role_id', r.role_id, 'settings', r.settings) end as role,
               ${failuresOf(sql`i.mount_id`, sql`case when r.id is null then i.unknown else i.known end`)} as has_failures,
               (select jsonb_build_object('num_uses', s.num_uses, 'metadata', s.metadata, 'cidrs', s.cidrs, 'token_cidrs', s.token_cidrs)
                  from approle_secret_ids s
                 where s.role = r.id and s.hash = decode(i.hash, 'hex') and ${lasting}) as secret
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as i (n int, mount_id uuid, known text, unknown text, hash text)
          left join approle_roles r on r.mount_id = i.mount_id and r.role_id = i.known`.execute(db);
      const found = new Map(rows.map((row) => [row.n, row]));
      return names.map((name, n) => shown(name, found.get(n)));
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );
}

const shown = (name: LoginName, row: Found | undefined): FoundForLogin => ({
  name,
  role: row?.role ? roleOf(row.role) : undefined,
  secretId: row?.secret ?? undefined,
  hasFailures: row?.has_failures === true,
});
