import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { spaceOf } from '../../namespaces/spaces.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

interface List {
  readonly keys: readonly string[];
  readonly next?: string;
}

test.each(['batches', 'rules', 'plans'])(
  'the list of %s comes in pages that together are the whole list',
  async (what) => {
    const { ask } = await spaceOf(service);
    const destination = service.name('destination');
    const written = await ask('POST', `sys/sync/destinations/${type}/${destination}`, service.fake(type).destination);
    expect(written.status, written.text).toBe(200);
    const destinations = [`${type}/${destination}`];
    const make = {
      batches: () => ask('POST', 'sys/sync/batches', { action: 'force', all: true }),
      rules: () =>
        ask('POST', `sys/sync/rules/${service.name('rule')}`, { mount: 'secret', prefix: 'listed/', destinations }),
      plans: () => ask('POST', 'sys/sync/plan', { keep: true }),
    }[what];
    for (let count = 0; count < 5; count += 1) {
      const made = await make?.();
      expect([200, 202], made?.text).toContain(made?.status);
    }
    const list = async (query = '') => {
      const { status, data, text } = await ask('GET', `sys/sync/${what}/?list=true${query}`);
      expect(status, text).toBe(200);
      expect(Object.keys(data['key_info'] as object).toSorted()).toEqual((data as unknown as List).keys.toSorted());
      return data as unknown as List;
    };
    const whole = await list();
    expect([whole.keys.length, whole.next]).toEqual([5, undefined]);
    const keys: string[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: List = await list(`&limit=2&after=${encodeURIComponent(next)}`);
      keys.push(...page.keys);
      next = page.next;
    }
    expect(keys).toEqual(whole.keys);
    expect((await ask('GET', `sys/sync/${what}/?list=true&after=zzzz/zzzz`)).status).toBe(what === 'rules' ? 404 : 400);
  },
);
