import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { type Reply, type Sender, senderTo } from '../../flow/bad-input/exchange.ts';
import { patience } from '../../support/measures/patience.ts';
import { workspaceGround } from '../support/ground.ts';
import { type Bad, badRequests, documentText, pathOf, probe, queryOf, tellingLinkages, tellingQueries } from './bad.ts';
import { type Names, namesOf } from './fields.ts';
import { inLanes, namesRead } from './reading.ts';
import { everyRow, shown } from './rows.ts';
import { type Seed, seedOf } from './seed.ts';

// Sends invalid input to every row as a caller with all rights. The answer must always be well-formed, nothing may be logged as an unexpected
// error, and the service must keep running.
const ground = workspaceGround();
const mediaType = 'application/vnd.api+json';
let names: Names;
let sender: Sender;
let sent = 0;
let numbers = 0;

beforeAll(() => {
  names = namesOf(everyRow(ground));
  sender = senderTo(ground.service.address, '/api/v2/');
});
afterAll(() => {
  sender.close();
  console.info(`${sent} bad requests were sent`);
});

test('the names that rows read are found', () => {
  expect(names.attributes).toEqual(expect.arrayContaining(['name', 'email', 'organization-access', 'expired-at']));
  expect(names.relationships).toEqual(expect.arrayContaining(['default-agent-pool', 'teams', 'tag-bindings']));
  expect(names.queries).toEqual(expect.arrayContaining(['q', 'sort', 'filter[names]', 'filter[status]']));
});

const send = (row: ApiRow, { path, body, mediaType: type = mediaType }: Omit<Bad, 'what'>): Promise<Reply> => {
  sent += 1;
  const headers = {
    authorization: `Bearer ${ground.service.rootToken}`,
    'content-type': type,
    // Node does not add a Content-Length to a DELETE.
    'content-length': String(Buffer.byteLength(body ?? '')),
  };
  return sender.send({ method: row.method, path, headers, ...(body === undefined ? {} : { body }) });
};

/** The attributes that a row reads: its errors name them. */
async function fieldsOf(row: ApiRow, seed: Seed): Promise<readonly string[]> {
  if (row.method === 'GET' || row.streamBytesMax !== undefined) return [];
  const found = new Set<string>();
  for (const value of ['{"a":[1]}', '[{}]', '7', 'true', '"\\u0001"']) {
    // The number of problems in one reply is limited.
    for (let round = 0; round < 8; round += 1) {
      const left = names.attributes.filter((name) => !found.has(name));
      const path = pathOf(row, (name) => seed.valueFor(row.path, name));
      const { text, status } = await send(row, { path, body: probe(row, left, value) });
      const fresh = status === 422 ? pointersIn(text).filter((name) => left.includes(name)) : [];
      for (const name of fresh) found.add(name);
      if (fresh.length === 0) break;
    }
  }
  return [...found];
}

/** The query parameters or relationships that a row reads. The walk checks its answers to them again. */
function readBy(row: ApiRow, seed: Seed): Promise<readonly string[]> {
  const path = pathOf(row, (name) => seed.valueFor(row.path, name));
  if (row.method === 'GET')
    return namesRead(names.queries, tellingQueries, (among, value) =>
      send(row, { path: among.length === 0 ? path : path + queryOf(among, value) }),
    );
  if (row.streamBytesMax !== undefined) return Promise.resolve([]);
  return namesRead(names.relationships, tellingLinkages, (among, value) => {
    const body = documentText(row, nextNumber(), { relationships: among.map((name) => [name, value]) });
    return send(row, { path, body });
  });
}

const nextNumber = (): number => {
  numbers += 1;
  return numbers;
};

const pointersIn = (text: string): readonly string[] =>
  [...text.matchAll(/"pointer":"\/data\/attributes\/([a-z-]+)/g)].map(([, name = '']) => name);

/** The problem with an answer; undefined when it is well-formed. */
function wrongWith({ status, text }: Reply): string | undefined {
  if (status >= 500) return `status ${status}: ${text.slice(0, 200)}`;
  if (status < 400) return undefined;
  const errors: unknown = jsonOf(text)['errors'];
  const isProper =
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((one) => one.status === String(status) && one.title !== '');
  return isProper ? undefined : `status ${status} without errors: ${text.slice(0, 200)}`;
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

async function problemsOf(row: ApiRow, bad: readonly Bad[]): Promise<readonly string[]> {
  const problems: string[] = [];
  await inLanes(bad, async (one) => {
    const problem = wrongWith(await send(row, one));
    if (problem !== undefined) problems.push(`${shown(row)}, ${one.what}: ${problem}`);
  });
  return problems;
}

test.each(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])(
  'every %s row gives a well-formed answer to invalid input',
  async (method) => {
    const rows = everyRow(ground).filter((row) => row.method === method && row.path.startsWith('/api/v2/'));
    const problems: string[] = [];
    let [fieldsFound, namesFound] = [0, 0];
    for (const row of rows) {
      const seed = await seedOf(ground);
      const fields = await fieldsOf(row, seed);
      fieldsFound += fields.length;
      const read = await readBy(row, seed);
      namesFound += read.length;
      problems.push(...(await problemsOf(row, badRequests(row, { seed, names, fields, read, number: nextNumber }))));
      expect((await ground.call('GET', '/account/details')).status, `after ${shown(row)}`).toBe(200);
    }
    if (method === 'POST' || method === 'PATCH') expect(fieldsFound).toBeGreaterThan(15);
    if (method === 'GET' || method === 'POST') expect(namesFound).toBeGreaterThan(10);
    expect(problems.slice(0, 40)).toEqual([]);
    expect(ground.service.logged.filter((line) => JSON.stringify(line).includes('unexpectedly'))).toEqual([]);
  },
  // Thousands of requests, on a machine that does other things as well.
  4 * patience.testMs,
);

test.each([
  { status: 500, text: '{"errors":[{"status":"500","title":"x"}]}' },
  { status: 400, text: '' },
  { status: 400, text: '{"errors":["x"]}' },
  { status: 404, text: '{"errors":[]}' },
])('the answer $status $text counts as a problem', (got) => {
  expect(wrongWith(got)).toBeDefined();
});
