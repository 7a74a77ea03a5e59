import { sql } from 'kysely';
import { coalesce } from '../../../core/concurrency/coalesce.ts';
import { isStorable } from '../../../store/postgres/storable.ts';
import type { Store } from '../../../store/store.ts';
import { failuresOf } from '../../lockout/store.ts';
import type { Role, RoleSettings } from './role.ts';
import { roleOf } from './roles-store.ts';
import { lasting, type UsedSecretId } from './secret-ids-store.ts';

/** What came with a login. */
export interface GivenIds {
  readonly mountId: string;
  readonly roleId: string;
  /** Of the secret id. */
  readonly hash: Buffer;
}

export interface FoundForLogin {
  readonly role: Role;
  /** Undefined: the role has no such secret id. */
  readonly secretId: UsedSecretId | undefined;
  /** Wrong logins with the role are being counted, or it is locked out. */
  readonly hasFailures: boolean;
}

/** Undefined: there is no such role. */
export type FindForLogin = (given: GivenIds) => Promise<FoundForLogin | undefined>;

interface Found {
  readonly n: number;
  readonly id: string;
  readonly name: string;
  readonly role_id: string;
  readonly settings: Partial<RoleSettings>;
  readonly secret: UsedSecretId | null;
  readonly has_failures: boolean;
}

/** Finds roles by what came with logins; those of the same moment share a statement. */
export function loginFinder({ db }: Pick<Store, 'db'>): FindForLogin {
  return coalesce(
    async (logins: readonly GivenIds[]) => {
      const asked = logins.map(({ mountId, roleId, hash }, n) => ({
        ...{ n, mount_id: mountId, role_id: isStorable(roleId) ? roleId : '', hash: hash.toString('hex') },
      }));
      const { rows } = await sql<Found>`
        select i.n, r.id, r.name, r.role_id, r.settings, ${failuresOf(sql`r.mount_id`, sql`r.role_id`)} as has_failures,
               (select jsonb_build_object('num_uses', s.num_uses, 'metadata', s.metadata, 'cidrs', s.cidrs, 'token_cidrs', s.token_cidrs)
                  from approle_secret_ids s
                 where s.role = r.id and s.hash = decode(i.hash, 'hex') and ${lasting}) as secret
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as i (n int, mount_id uuid, role_id text, hash text)
          join approle_roles r on r.mount_id = i.mount_id and r.role_id = i.role_id`.execute(db);
      const found = new Map(rows.map((row) => [row.n, row]));
      return logins.map((_, n) => shown(found.get(n)));
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );
}

const shown = (row: Found | undefined): FoundForLogin | undefined =>
  row && { role: roleOf(row), secretId: row.secret ?? undefined, hasFailures: row.has_failures };
