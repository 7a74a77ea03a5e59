import { validate } from '@readme/openapi-parser';
import { expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';
import { everyRow, parametersOf } from './rows.ts';

const ground = workspaceGround();

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
  readonly security?: readonly object[];
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The document as a client without a token gets it. */
async function documentOf(): Promise<{ readonly paths: Paths }> {
  const { status, headers, text } = await ground.call('GET', '/openapi.json', undefined, '');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json');
  return JSON.parse(text);
}

const pathOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

test('the OpenAPI document is valid', async () => {
  const result = await validate((await documentOf()) as unknown as Parameters<typeof validate>[0]);
  expect(result.valid ? [] : result.errors).toEqual([]);
});

test('the validator finds a parameter that the document lacks', async () => {
  const document = structuredClone(await documentOf());
  Object.assign(document.paths['/api/v2/teams/{team_id}']?.['get'] ?? {}, { parameters: [] });
  const result = await validate(document as unknown as Parameters<typeof validate>[0]);
  expect(result.valid).toBe(false);
});

test('it lists every row, including its own, with parameters, body and security', async () => {
  const { paths } = await documentOf();
  const rows = everyRow(ground);
  expect(Object.values(paths).flatMap((item) => Object.keys(item))).toHaveLength(rows.length);
  expect(paths['/api/v2/openapi.json']?.['get']).toBeDefined();
  for (const row of rows) {
    const operation = paths[pathOf(row.path)]?.[row.method.toLowerCase()];
    expect(operation, `${row.method} ${row.path}`).toMatchObject({ summary: row.summary });
    const named = operation?.parameters?.filter((one) => one.in === 'path').map(({ name }) => name) ?? [];
    expect(named).toEqual(parametersOf(row));
    const asked = operation?.parameters?.filter((one) => one.in === 'query').map(({ name }) => name) ?? [];
    const fields = Object.values(row.query).flatMap(({ parameters }) => parameters.map(({ name }) => name));
    expect(asked).toEqual(fields);
    expect(operation?.requestBody === undefined).toBe(row.body === undefined);
    expect(operation?.security).toEqual(row.open ? [] : undefined);
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(Object.keys(row.replies)));
  }
});

test('requests that change something may be refused for their media type and the size of their body', async () => {
  const { paths } = await documentOf();
  const responses = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses ?? {});
  expect(responses('/api/v2/teams/{team_id}', 'delete')).toEqual(expect.arrayContaining(['413', '415']));
  expect(responses('/api/v2/teams/{team_id}', 'delete')).not.toContain('422');
  expect(responses('/api/v2/teams/{team_id}', 'patch')).toEqual(expect.arrayContaining(['413', '415', '422']));
  expect(responses('/api/v2/teams/{team_id}', 'get')).not.toContain('415');
});

/** Matches the beginning of summaries that are not imperatives. */
const isNoun = /^(?:An?|The|What|How|Who|Whether|[A-Z][a-z]+s) /;

test('each operation has a unique id and an imperative summary without a period', async () => {
  const operations = Object.values((await documentOf()).paths).flatMap((item) => Object.values(item));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  const summaries = operations.map(({ summary }) => summary);
  expect(summaries.filter((summary) => summary.endsWith('.') || isNoun.test(summary))).toEqual([]);
});
