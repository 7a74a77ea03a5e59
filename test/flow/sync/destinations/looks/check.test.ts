import { afterEach, describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { leaksOf } from '#test/contract/support/leaks.ts';
import { credentialsOf } from '#test/contract/support/stand.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

interface Step {
  readonly step: string;
  readonly target?: string;
  readonly permission?: string;
  readonly outcome: string;
  readonly cause?: string;
  readonly remedy?: string;
}

const service = serviceOf();
const type = 'cloud-a-sm';
const at = (of: string, name: string) => `sys/sync/destinations/${of}/${name}/check`;

afterEach(() => service.ask('DELETE', 'sys/sync/config'));

async function check(of: string, name: string, body?: object) {
  const answer = await service.ask(body === undefined ? 'GET' : 'POST', at(of, name), body);
  const { passed, steps } = answer.data as unknown as { readonly passed?: boolean; readonly steps?: readonly Step[] };
  const outcomes = new Map((steps ?? []).map((one) => [one.step, one.outcome]));
  return { status: answer.status, errors: answer.errors, passed, steps: steps ?? [], outcomes };
}

describe.each(definitions)('a check of a destination of type $type', (definition) => {
  test('passes, writes nothing, and shows no credential', async () => {
    const name = await service.destination(definition.type);
    const before = new Map(service.fake(definition.type).objects());
    const checked = await check(definition.type, name);
    expect(checked).toMatchObject({ status: 200, passed: true });
    for (const step of ['address', 'connection', 'login', 'clock']) expect(checked.outcomes.get(step)).toBe('passed');
    expect(checked.steps.some(({ permission, outcome }) => permission !== undefined && outcome === 'passed')).toBe(
      true,
    );
    expect(new Map(service.fake(definition.type).objects())).toEqual(before);
    const secrets = credentialsOf(definition, service.fake(definition.type).destination);
    expect(leaksOf([checked.steps, service.logged], secrets)).toEqual([]);
  });

  test('names the missing permission as the system does, with what to do', async () => {
    const name = await service.destination(definition.type);
    service.fake(definition.type).fail({ kind: 'denied' });
    const { passed, steps, outcomes } = await check(definition.type, name);
    expect({ passed, login: outcomes.get('login') }).toEqual({ passed: false, login: 'passed' });
    const failed = steps.find(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject({ step: 'permission', remedy: expect.stringContaining(failed?.permission ?? '-') });
  });

  test('tells wrong credentials from a missing permission', async () => {
    const name = await service.destination(definition.type);
    service.fake(definition.type).fail({ kind: 'credentials' });
    const { passed, steps } = await check(definition.type, name);
    expect(passed).toBe(false);
    expect(steps.filter(({ outcome }) => outcome === 'failed').map(({ step }) => step)).toEqual(['login']);
  });
});

describe('a check with fields that are not stored', () => {
  test('needs no destination, and stores none', async () => {
    const name = service.name('unstored');
    const checked = await check(type, name, { ...service.fake(type).destination });
    expect(checked).toMatchObject({ status: 200, passed: true });
    expect((await service.ask('GET', `sys/sync/destinations/${type}/${name}`)).status).toBe(404);
  });

  test('uses them instead of the stored ones, and leaves those as they are', async () => {
    const name = await service.destination(type);
    const { secret_access_key: _kept, ...before } = (await service.ask('GET', `sys/sync/destinations/${type}/${name}`))
      .data;
    const checked = await check(type, name, { allowed_ports: [443] });
    expect(checked).toMatchObject({ status: 200, passed: false });
    const failed = checked.steps.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject([{ step: 'address', cause: expect.stringContaining('allowed_ports') }]);
    expect((await service.ask('GET', `sys/sync/destinations/${type}/${name}`)).data).toEqual(before);
    expect((await check(type, name)).passed).toBe(true);
  });

  test('never sends stored credentials to a changed address', async () => {
    const name = await service.destination(type);
    const before = service.calls(type);
    const checked = await check(type, name, { endpoint: 'https://elsewhere.example' });
    expect(checked).toMatchObject({ status: 400, errors: [expect.stringMatching(/endpoint.*credentials/)] });
    expect(service.calls(type)).toBe(before);
  });

  test('is refused like a write when a field is invalid', async () => {
    const name = await service.destination(type);
    const checked = await check(type, name, { secret_name_template: '{{ .Nothing }}' });
    expect(checked).toMatchObject({ status: 400, errors: [expect.stringContaining('secret_name_template')] });
  });

  test('names a host that does not exist', async () => {
    const body = { ...service.fake(type).destination, endpoint: 'https://no-such-host.invalid' };
    const { passed, outcomes } = await check(type, service.name('nowhere'), body);
    expect(passed).toBe(false);
    expect(outcomes.get('name_resolution')).toBe('failed');
    expect(outcomes.get('login')).toBe('not_testable');
  });
});

test('a destination that does not exist is not found', async () => {
  expect((await check(type, service.name('absent'))).status).toBe(404);
});

test('while the sync is disabled, a check calls nothing and says so', async () => {
  const name = await service.destination(type);
  await service.ask('PATCH', 'sys/sync/config', { disabled: true });
  const before = service.calls(type);
  expect(await check(type, name)).toMatchObject({ status: 400, errors: [expect.stringContaining('disabled')] });
  expect(service.calls(type)).toBe(before);
});
