import { expect, test } from 'vitest';
import { SummaryReader } from '#workspaces/resources/state-versions/summary.ts';

async function summaryOf(text: string, pieceBytes = 7) {
  const reader = new SummaryReader();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) await reader.take(bytes.subarray(at, at + pieceBytes));
  return reader.end();
}

test('a state is read from chunks of any size, with multi-byte characters', async () => {
  const state = {
    version: 4,
    terraform_version: '1.11.4',
    outputs: { é: { value: { list: ['ü', 1.5] }, type: ['object', { list: ['tuple', ['string', 'number']] }] } },
    resources: [
      { mode: 'managed', type: 't', name: 'n', provider: 'p', instances: [{ attributes: { a: ['x', {}] } }] },
    ],
  };
  expect(await summaryOf(JSON.stringify(state))).toEqual({
    engineVersion: '1.11.4',
    format: 4,
    counts: {
      resources: [{ type: 't', name: 'n', module: 'root', provider: 'p', count: 1 }],
      modules: { root: { t: 1 } },
      providers: { p: { t: 1 } },
      managed: 1,
    },
    outputs: [{ name: 'é', sensitive: false, type: state.outputs.é.type, value: { list: ['ü', 1.5] } }],
  });
});

test.each([
  ['an encrypted state', '{"serial":1,"lineage":"a","encrypted_data":"x","encryption_version":"v0"}'],
  ['members of other types', '{"version":"4","terraform_version":4,"resources":{"a":1},"outputs":[1]}'],
  ['resources of an invalid form', '{"resources":[1,null,"x",[],[{"a":[]}]],"outputs":{"a":1}}'],
])('a state without resources is accepted: %s', async (_what, text) => {
  expect(await summaryOf(text, 1_000)).toEqual({
    engineVersion: null,
    format: null,
    outputs: [],
    counts: { resources: [], modules: {}, providers: {}, managed: 0 },
  });
});

test('only items of a list count as instances', async () => {
  const instances = ['[{},[],1]', '[]', '{"a":1}', '7', '"7"', 'null'];
  const resources = instances.map((text, at) => `{"type":"t${at}","instances":${text}}`);
  const { counts } = await summaryOf(`{"resources":[${resources.join()}]}`);
  expect(counts.resources.map(({ count }) => count)).toEqual([3, 0, 0, 0, 0, 0]);
  expect(counts.managed).toBe(3);
});

test('only outputs that are too large are omitted', async () => {
  const outputs = { large: { value: 'x'.repeat(5_000_000), type: 'string' }, small: { value: 1, type: 'number' } };
  const summary = await summaryOf(JSON.stringify({ version: 4, outputs, resources: [{ type: 't' }] }), 65_536);
  expect(summary.outputs).toEqual([]);
  expect(summary.counts.resources).toHaveLength(1);
});

test('a string beyond the limit is refused before it has arrived completely', async () => {
  await expect(summaryOf(`{"a":"${'x'.repeat(17_000_000)}`, 65_536)).rejects.toThrow('longer than');
});

test('a string of a resource may be as long as the file', async () => {
  const text = `{"resources":[{"type":"t","instances":[{"attributes":{"a":"${'x'.repeat(17_000_000)}"}}]}]}`;
  expect((await summaryOf(text, 65_536)).counts.managed).toBe(1);
});

test('the list of resources and modules is limited, but all of them are counted', async () => {
  const count = 20_000;
  const resources = Array.from(
    { length: count },
    (_value, at) => `{"module":"module.m${at}","type":"t","name":"n","provider":"p","instances":[{}]}`,
  );
  const { counts } = await summaryOf(`{"resources":[${resources.join()}]}`, 65_536);
  expect(counts).toMatchObject({ providers: { p: { t: count } }, managed: count });
  for (const listed of [counts.resources, counts.modules])
    expect(JSON.stringify(listed).length).toBeLessThan(2 * 1024 * 1024);
});
