import { sql } from 'kysely';
import { bigintText, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { selector } from './decide.ts';
import { evaluate } from './evaluate.ts';
import { whyNot } from './rights.ts';
import { keepMount } from './statements.ts';
import { namesMax, type Step, type StepParts, takeRule } from './walk.ts';

/** Looks at the next secrets of a mount that were made, described anew or deleted, and deletes their notes. */
export async function workStep(parts: StepParts, mountId: string, most: number): Promise<Step> {
  return parts.store.transaction(async (tx) => {
    const { rows } = await rowsOf({ id: bigintText, secret_name: text })`
      select id::text as id, secret_name from sync_rule_work w where mount_id = ${mountId}::uuid
       order by w.id limit ${namesMax}::int`.execute(tx);
    const names = [...new Set(rows.map(({ secret_name }) => secret_name))].sort();
    const evaluated = names.length === 0 ? undefined : await evaluate(tx, parts, mountId, names, most);
    if (evaluated === undefined) return { dirty: [], moved: false };
    const done = new Set(evaluated.done);
    const seen = rows.filter(({ secret_name }) => done.has(secret_name)).map(({ id }) => id);
    await sql`
      delete from sync_rule_work where mount_id = ${mountId}::uuid and id = any(${seen}::bigint[])`.execute(tx);
    // A request that stores a rule may wait for a write of a secret that waits for this transaction.
    await sql`
      update sync_rules set turned_at = clock_timestamp()
       where id = any(array(select id from sync_rules where mount_id = ${mountId}::uuid for no key update skip locked))`.execute(
      tx,
    );
    return { dirty: evaluated.dirty, moved: seen.length > 0 || evaluated.dirty.length > 0 };
  });
}

/** Resumes a suspended rule when its owner may send the secret that it was refused, or when the rule no longer selects that secret. */
export async function recheckStep({ store, rules }: StepParts, ruleId: string): Promise<Step> {
  return store.transaction(async (tx) => {
    const rule = await takeRule(tx, ruleId);
    if (rule?.state !== 'suspended' || rule.denied_secret === null) return { dirty: [], moved: false };
    const secretName = rule.denied_secret;
    const mount = await keepMount(tx, rule.mount_id);
    const [secret] = await rules.describeSecrets(tx, rule.mount_id, [secretName]);
    const isSelected = mount !== undefined && secret !== undefined && selector(rule)(secret);
    const { destinations } = rule;
    const reason = isSelected
      ? whyNot(rules, await rules.rightsOf(rule.owner), { rule, mount, secretName, destinations })
      : undefined;
    if (reason !== undefined)
      await sql`update sync_rules set reason = ${reason}, turned_at = clock_timestamp() where id = ${ruleId}::bigint`.execute(
        tx,
      );
    else
      await sql`
        update sync_rules
           set state = 'active', reason = null, denied_secret = null, ${walkAgain}, turned_at = clock_timestamp()
         where id = ${ruleId}::bigint`.execute(tx);
    return { dirty: [], moved: reason === undefined };
  });
}

/** Assignments that let a rule begin its walk. */
export const walkAgain = sql`walk = 'held', walk_mount = '00000000-0000-0000-0000-000000000000', walk_secret = '', walked = 0`;

const forgottenMax = 1_000;

/** Deletes notes of mounts that have no rules any longer. */
export async function forgetWork({ db }: Pick<Store, 'db'>): Promise<void> {
  await sql`
    delete from sync_rule_work where (mount_id, id) in (
      select w.mount_id, w.id from sync_rule_work w
       where not exists (select 1 from sync_rules r where r.mount_id = w.mount_id) limit ${forgottenMax}::int)`.execute(
    db,
  );
}
