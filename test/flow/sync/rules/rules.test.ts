import { describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

type Body = Readonly<Record<string, unknown>>;

/** Stores a rule for a new folder, and waits until it has looked at everything. */
async function ruleOf(fields: Body): Promise<string> {
  const rule = service.name('rule');
  const reply = await service.ask('POST', `sys/sync/rules/${rule}`, { mount: 'secret', ...fields });
  expect([reply.status, reply.text]).toEqual([202, expect.any(String)]);
  await settled(rule);
  return rule;
}

const read = async (rule: string) => (await service.ask('GET', `sys/sync/rules/${rule}`)).data;

async function settled(rule: string): Promise<void> {
  await eventually(async () => {
    await service.sweep();
    const { progress } = (await read(rule)) as { progress?: { evaluating: boolean } };
    return progress?.evaluating !== true;
  });
  await service.untilQuiet();
}

interface Listed {
  readonly secret_name: string;
  readonly rule: string | null;
  readonly status: string;
}

async function recordsAt(destination: string, more = ''): Promise<readonly Listed[]> {
  const { data } = await service.ask('GET', `sys/sync/records?type=${type}&name=${destination}${more}`);
  return data['records'] as Listed[];
}

const namesAt = async (destination: string) => (await recordsAt(destination)).map(({ secret_name }) => secret_name);

describe('a standing rule', () => {
  test('associates what it selects, now and as it is written, and ends it with what it no longer selects', async () => {
    const [folder, one, two] = [service.name('app'), await service.destination(type), await service.destination(type)];
    await service.secret({ v: '1' }, `${folder}/a/db`);
    await service.secret({ v: '1' }, `${folder}/a/other`);
    const destinations = [`${type}/${one}`, `${type}/${two}`];
    const rule = await ruleOf({ prefix: `${folder}/`, glob: '**/db', destinations });
    for (const destination of [one, two]) expect(await namesAt(destination)).toEqual([`${folder}/a/db`]);
    await service.secret({ v: '2' }, `${folder}/b/c/db`);
    await service.secret({ v: '2' }, `${folder}/b/c/no`);
    await settled(rule);
    expect(await namesAt(one)).toEqual([`${folder}/a/db`, `${folder}/b/c/db`]);
    await service.ask('DELETE', `secret/metadata/${folder}/a/db`);
    await settled(rule);
    expect(await namesAt(two)).toEqual([`${folder}/b/c/db`]);
    expect(await read(rule)).toMatchObject({ state: 'active', counts: { total: 2, synced: 2 }, destinations: destinations.sort() });
  });
});
