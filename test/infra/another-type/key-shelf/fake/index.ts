import { createServer } from 'node:http';
import { z } from 'zod';
import type { StartFake } from '#destinations/fake.ts';
import { meet, newFaults } from '#destinations/frame/fake/faults.ts';
import { type Answer, parseJson, type Question, restExchange } from '#destinations/frame/fake/rest.ts';
import { serve } from '#destinations/frame/fake/server.ts';

const token = 'stand-in-shelf-token';
const draft = z.object({ value: z.string(), mark: z.string() });

const statuses: Readonly<Record<string, number>> = { throttle: 429, unavailable: 503, denied: 403, credentials: 401 };

/** A shelf: conditional calls by version, as in RFC 9110, 13.1. */
export const startFake: StartFake = async ({ port = 0 } = {}) => {
  const items = new Map<string, { value: string; mark: string | null; version: string }>();
  const calls = new Map<string, number>();
  const faults = newFaults();
  let versions = 0;

  function store(name: string, value: string, mark: string | null): void {
    versions += 1;
    items.set(name, { value, mark, version: String(versions) });
  }

  function answer({ method, path, headers, body }: Question): Answer {
    const name = path[1] ?? '';
    const found = items.get(name);
    const wanted = headers['if-match'];
    if (headers['if-none-match'] === '*' && found !== undefined) return { status: 412 };
    if (wanted !== undefined && found !== undefined && wanted !== found.version) return { status: 412 };
    if (method === 'PUT') {
      const parsed = draft.safeParse(parseJson(body));
      if (!parsed.success) return { status: 400 };
      if (wanted !== undefined && found === undefined) return { status: 412 };
      store(name, parsed.data.value, parsed.data.mark);
    } else if (found === undefined) return { status: 404 };
    const { version, mark } = items.get(name) ?? { version: '', mark: null };
    if (method === 'DELETE') items.delete(name);
    return { status: 200, body: { version, mark } };
  }

  const react = (question: Question) => {
    calls.set(question.method, (calls.get(question.method) ?? 0) + 1);
    const run = () => (question.headers['authorization'] === `Bearer ${token}` ? answer(question) : { status: 401 });
    return meet<Answer>(faults.take({ writes: question.method !== 'GET' }), run, ({ kind, retryAfterSeconds = 1 }) => {
      const status = statuses[kind];
      return status === undefined ? undefined : { status, headers: { 'retry-after': String(retryAfterSeconds) } };
    });
  };
  const served = await serve((listener) => createServer(listener), port, restExchange('http', 'x-request-id', react));
  const url = `http://127.0.0.1:${served.port}`;

  return {
    url,
    destination: { token, endpoint: url, allowed_ipv4_addresses: ['127.0.0.0/8'], allowed_ports: [served.port] },
    objects: () => new Map([...items].map(([name, { value }]) => [name, { value, tags: {} }])),
    seed: (name, value) => store(name, value, null),
    change: (name, value) => store(name, value, items.get(name)?.mark ?? null),
    calls: () => calls,
    fail: (fault) => faults.set(fault),
    heal: () => faults.heal(),
    limit: faults.limit,
    close: served.close,
  };
};
