import { expect, test } from 'vitest';
import { realTable } from '#infra/generate/rows.ts';
import { operation } from '#path/contract/row.ts';
import { schemaOf, typeOf } from '#path/documents/schema.ts';
import { duration, integer } from '#path/fields.ts';

test('a duration is an integer or a string, in the document and in the help', () => {
  for (const field of [duration(), duration().optional(), duration().default(3).meta({ description: 'Time' })]) {
    expect(schemaOf(field)['oneOf']).toMatchObject([{ type: 'integer', minimum: 0 }, { type: 'string' }]);
    expect(schemaOf(field)['type']).toBeUndefined();
    expect(typeOf(field)).toBe('integer or text');
  }
  expect(typeOf(integer())).toBe('integer');
});

test('every field that accepts "1h" documents it', () => {
  const wrong = Object.entries(realTable).flatMap(([mount, rows]) =>
    rows.flatMap(({ pattern, operations }) =>
      Object.values(operations).flatMap(({ fields }) =>
        Object.entries(fields).flatMap(([name, field]) =>
          typeOf(field) === 'integer' && field.safeParse('1h').success ? [`${mount}/${pattern}: ${name}`] : [],
        ),
      ),
    ),
  );
  expect(wrong).toEqual([]);
});

test('a reply whose status or form is not declared does not compile', () => {
  const accepts = async () => ({ status: 202 }) as const;
  const bare = async () => ({ body: {} });
  const declared = [
    operation({}, { summary: 'Start', replies: { 202: 'envelope' }, run: accepts }),
    operation({}, { summary: 'Start', replies: { '2XX': 'envelope' }, run: accepts }),
    operation({}, { summary: 'Read', replies: { 200: 'own' }, run: bare }),
  ];
  // @ts-expect-error: no status is declared
  const undeclared = operation({}, { summary: 'Start', run: accepts });
  // @ts-expect-error: another status is declared
  const other = operation({}, { summary: 'Start', replies: { 201: 'envelope' }, run: accepts });
  // @ts-expect-error: the reply is in the envelope
  const enveloped = operation({}, { summary: 'Read', run: bare });
  expect([...declared, undeclared, other, enveloped]).toHaveLength(6);
});
