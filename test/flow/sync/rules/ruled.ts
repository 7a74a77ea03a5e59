import { sql } from 'kysely';
import { expect } from 'vitest';
import { eventually, type OpenService } from '#test/support/flow/open-service.ts';

export type Body = Readonly<Record<string, unknown>>;
type Options = Parameters<OpenService['ask']>[3];

interface Shown {
  readonly state: string;
  readonly reason: string | null;
  readonly progress: { readonly evaluating: boolean };
}

export interface Listed {
  readonly secret_name: string;
  readonly rule: string | null;
  readonly status: string;
  readonly entries: readonly { readonly external_name: string }[];
}

/** Standing rules of a service. */
export function ruled(service: OpenService) {
  const at = (rule: string) => `sys/sync/rules/${rule}`;
  const read = async (rule: string): Promise<Shown & Body> => {
    const { data } = await service.ask('GET', at(rule));
    return data as unknown as Shown & Body;
  };
  /** Sweeps until nothing is left to look at. */
  async function settled(): Promise<void> {
    await eventually(async () => {
      await service.sweep();
      const { rows } = await sql<{ busy: boolean }>`
        select exists (select 1 from sync_rule_work) or exists (select 1 from sync_rules where walk is not null and state <> 'suspended')
            as busy`.execute(service.store.db);
      return rows[0]?.busy === false;
    });
    await service.untilQuiet();
  }
  /** Stores a rule. */
  const store = (rule: string, fields: Body, options?: Options) =>
    service.ask('POST', at(rule), { mount: 'secret', ...fields }, options);
  /** Stores a rule and waits until it has looked at everything. */
  async function made(fields: Body, rule = service.name('rule')): Promise<string> {
    const reply = await store(rule, fields);
    expect([reply.status, reply.text]).toEqual([202, expect.any(String)]);
    await settled();
    return rule;
  }
  const records = async (type: string, name: string, more = ''): Promise<readonly Listed[]> => {
    const { data } = await service.ask('GET', `sys/sync/records?type=${type}&name=${name}${more}`);
    return data['records'] as Listed[];
  };
  const names = async (type: string, name: string) => (await records(type, name)).map(({ secret_name }) => secret_name);
  /** The headers of a new token with a policy of this text. */
  async function holder(text: string) {
    const policy = service.name('policy');
    await service.api.write(`sys/policies/acl/${policy}`, { policy: text });
    const made = await service.ask('POST', 'auth/token/create', { policies: [policy] });
    const { client_token } = made.body['auth'] as { readonly client_token: string };
    return { policy, headers: { 'x-service-token': client_token } };
  }
  return { at, read, settled, store, made, records, names, holder };
}
