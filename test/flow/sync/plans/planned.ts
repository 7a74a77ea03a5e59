import { expect } from 'vitest';
import { eventually, type OpenService } from '#test/support/flow/open-service.ts';

export interface Shown {
  readonly id: string;
  readonly state: string;
  readonly total: number;
  readonly changed: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly failed_by_kind: Readonly<Record<string, number>>;
}

export interface PlannedPage {
  readonly objects: readonly {
    readonly id: string;
    readonly destination?: { readonly type: string; readonly name: string };
    readonly secret_name: string;
    readonly external_name: string;
    readonly action: string;
    readonly reason: string;
    readonly error: { readonly kind: string; readonly message: string } | null;
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly total: number;
  readonly after: string | null;
  readonly plan_id?: string;
}

/** What the tests of kept plans do with a service. */
export function plansOf(service: OpenService) {
  const dataOf = async <T>(method: string, path: string, body?: object, status = 200): Promise<T> => {
    const answer = await service.ask(method, path, body);
    expect(answer.status, answer.text).toBe(status);
    return answer.data as T;
  };
  const read = (id: string) => dataOf<Shown>('GET', `sys/sync/batches/${id}`);
  return {
    read,
    planAll: (query = '') => dataOf<PlannedPage>('GET', `sys/sync/plan${query}`),
    keepAll: (body: object) => dataOf<PlannedPage>('POST', 'sys/sync/plan', { keep: true, ...body }),
    keep: (type: string, name: string, body: object = {}) =>
      dataOf<PlannedPage>('POST', `sys/sync/destinations/${type}/${name}/plan`, { keep: true, ...body }),
    apply: (id: string | undefined, body: object = {}) => service.ask('POST', `sys/sync/plans/${id}/apply`, body),
    start: async (id: string | undefined) => {
      const answer = await service.ask('POST', `sys/sync/plans/${id}/apply`, {});
      expect(answer.status, answer.text).toBe(202);
      return String(answer.data?.['id']);
    },
    pause: (type: string, name: string, disabled: boolean) =>
      dataOf('PATCH', `sys/sync/destinations/${type}/${name}`, { disabled }),
    records: async (type: string, name: string) =>
      (await dataOf<{ records: readonly Recorded[] }>('GET', `sys/sync/records?type=${type}&name=${name}`)).records,
    /** Sweeps until the batch has ended. */
    async ended(id: string): Promise<Shown> {
      let shown = await read(id);
      await eventually(
        async () => {
          await service.sweep();
          shown = await read(id);
          return shown.state !== 'running' && shown.state !== 'settling';
        },
        () => JSON.stringify(shown),
      );
      return shown;
    },
  };
}

export interface Recorded {
  readonly id: string;
  readonly secret_name: string;
  readonly status: string;
  readonly generation: number;
  readonly error: { readonly kind: string; readonly message: string; readonly remedy?: string } | null;
  readonly entries: readonly { readonly external_name: string }[];
}
