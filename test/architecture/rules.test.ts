import { describe, expect, test } from 'vitest';
import { floorViolations, folderCycles } from './floors.ts';
import {
  cycles,
  foreignTexts,
  importViolations,
  packageViolations,
  pathViolations,
  schemaChanges,
  wordViolations,
} from './rules.ts';
import { scan } from './scan.ts';

/** A file that imports others, given by their paths, or packages. */
function importing(path: string, ...targets: readonly string[]) {
  const up = '../'.repeat(path.split('/').length - 1);
  const lines = targets.map((target) => `import '${target.includes('.ts') ? `${up || './'}${target}` : target}';`);
  return scan(path, lines.join('\n'));
}

/** Two destinations: one brings an SDK, the other none. */
const brought = new Map([
  ['one', ['@one/sdk']],
  ['other', []],
]);

describe('the table of imports refuses', () => {
  test.each([
    ['lib/core/a.ts', 'lib/path/a.ts'],
    ['lib/path/a.ts', 'lib/store/a.ts'],
    ['lib/store/a.ts', 'lib/path/a.ts'],
    ['lib/queue/a.ts', 'lib/store/a.ts'],
    ['lib/auth/a.ts', 'lib/sync/a.ts'],
    ['lib/engines/kv/a.ts', 'lib/auth/a.ts'],
    ['lib/destinations/contract.ts', 'lib/sync/a.ts'],
    ['lib/workspaces/a.ts', 'lib/engines/contract.ts'],
    ['lib/sync/a.ts', 'lib/auth/a.ts'],
    ['lib/http/a.ts', 'lib/store/a.ts'],
    ['lib/http/a.ts', 'lib/app.ts'],
    ['lib/app.ts', 'infra/a.ts'],
    ['lib/app.ts', 'test/a.ts'],
    ['lib/unknown/a.ts', 'lib/core/a.ts'],
    ['lib/client/a.ts', 'lib/path/a.ts'],
    ['lib/cli/a.ts', 'lib/path/a.ts'],
    ['lib/client/a.ts', 'lib/cli/a.ts'],
    ['lib/client/a.ts', 'commander'],
    ['lib/destinations/one/a.ts', 'lib/destinations/other/a.ts'],
    ['lib/engines/one/a.ts', 'lib/engines/other/index.ts'],
    ['lib/engines/kv/v1/a.ts', 'lib/engines/kv/v2/index.ts'],
    ['lib/engines/kv/shared/a.ts', 'lib/engines/kv/v2/index.ts'],
    ['lib/auth/methods/one/a.ts', 'lib/auth/methods/other/a.ts'],
    ['lib/destinations/frame/a.ts', 'lib/destinations/one/index.ts'],
    ['lib/sync/a.ts', 'lib/destinations/one/index.ts'],
    ['lib/destinations/index.ts', 'lib/destinations/one/driver.ts'],
    ['functions/api.ts', 'lib/http/a.ts'],
    ['functions/api.ts', 'lib/destinations/one/driver.ts'],
    ['functions/sync-one.ts', 'lib/destinations/other/driver.ts'],
    ['functions/sync-one.ts', 'functions/api.ts'],
    ['lib/sync/a.ts', 'bullmq'],
    ['functions/api.ts', 'pg'],
    ['infra/a.ts', 'bullmq'],
    ['lib/destinations/one/a.ts', 'kysely'],
    ['lib/http/a.ts', 'kysely'],
    ['lib/destinations/other/a.ts', '@one/sdk'],
    ['lib/destinations/other/a.ts', '@unnamed/sdk'],
    ['lib/destinations/other/fake.ts', '@one/sdk'],
    ['lib/sync/a.ts', '@one/sdk'],
    ['functions/sync-other.ts', '@one/sdk'],
  ])('%s → %s', (from, to) => {
    expect(importViolations([importing(from, to)], brought)).toEqual([expect.stringContaining(`${from} → ${to}: `)]);
  });

  test('a computed import outside the loader', () => {
    expect(importViolations([scan('lib/sync/a.ts', 'await import(name);')], brought)).toHaveLength(1);
  });
});

describe('the table of imports allows', () => {
  test.each([
    ['lib/path/a.ts', 'lib/core/a.ts'],
    ['lib/auth/methods/one/a.ts', 'lib/auth/contract.ts'],
    ['lib/engines/one/a.ts', 'lib/engines/one/deep/b.ts'],
    ['lib/sync/a.ts', 'lib/destinations/contract.ts'],
    ['lib/destinations/one/a.ts', 'lib/destinations/frame/a.ts'],
    ['lib/destinations/index.ts', 'lib/destinations/one/index.ts'],
    ['lib/app.ts', 'lib/engines/one/index.ts'],
    ['functions/api.ts', 'lib/app.ts'],
    ['functions/sync-one.ts', 'lib/destinations/one/driver.ts'],
    ['infra/a.ts', 'lib/destinations/one/driver.ts'],
    ['test/a.ts', 'lib/sync/a.ts'],
    ['lib/queue/a.ts', 'bullmq'],
    ['infra/local/a.ts', 'pg'],
    ['infra/bench/a.ts', 'bullmq'],
    ['test/a.ts', 'bullmq'],
    ['lib/sync/a.ts', 'node:fs'],
    ['lib/destinations/one/a.ts', '@one/sdk'],
    ['lib/destinations/other/a.ts', 'zod'],
    ['lib/destinations/other/fake/a.ts', '@unnamed/sdk'],
    ['test/a.ts', '@one/sdk'],
  ])('%s → %s', (from, to) => {
    expect(importViolations([importing(from, to)], brought)).toEqual([]);
  });

  test('a computed import in the loader', () => {
    expect(importViolations([scan('lib/destinations/load.ts', 'await import(address);')], brought)).toEqual([]);
  });
});

describe('packages', () => {
  const driver = importing('lib/destinations/one/driver.ts', '@one/sdk', 'node:fs');
  const dependencies = new Set(['@one/sdk']);

  test('that facts declare are imported', () => {
    expect(packageViolations([driver], brought, dependencies)).toEqual([]);
    const stranger = importing('lib/destinations/other/driver.ts', '@one/sdk');
    expect(packageViolations([stranger], brought, dependencies)).toEqual([
      'one brings @one/sdk and does not import it',
    ]);
  });

  test('that are deployed are dependencies', () => {
    expect(packageViolations([driver], brought, new Set())).toHaveLength(1);
    const fake = importing('lib/destinations/one/fake/server.ts', '@tests/only');
    expect(packageViolations([driver, fake], brought, dependencies)).toEqual([]);
  });
});

describe('import cycles', () => {
  test('are found, including those of types', () => {
    const [a, b] = [importing('a.ts', 'b.ts'), importing('b.ts', 'c.ts')];
    expect(cycles([a, b, scan('c.ts', "import type { A } from './a.ts';")])).toEqual(['a.ts → b.ts → c.ts → a.ts']);
    expect(cycles([importing('a.ts', 'a.ts')])).toEqual(['a.ts → a.ts']);
  });

  test('are not reported for two paths to the same file', () => {
    expect(cycles([importing('a.ts', 'b.ts', 'c.ts'), importing('b.ts', 'd.ts'), importing('c.ts', 'd.ts')])).toEqual(
      [],
    );
  });
});

describe('the floors of a folder', () => {
  const floors = { auth: [['contract.ts'], ['policy', 'lease'], ['token']] };
  const whole = [
    importing('lib/auth/contract.ts'),
    importing('lib/auth/policy/a.ts', 'lib/auth/contract.ts', 'lib/auth/policy/b.ts'),
    importing('lib/auth/lease/a.ts', 'lib/core/a.ts'),
    importing('lib/auth/token/a.ts', 'lib/auth/policy/a.ts', 'lib/auth/contract.ts'),
  ];

  test('allow imports of lower floors', () => {
    expect(floorViolations(whole, floors)).toEqual([]);
  });

  test.each([
    ['lib/auth/policy/b.ts', 'lib/auth/token/a.ts', 'lib/auth/policy/b.ts: auth/policy may not import auth/token'],
    ['lib/auth/policy/b.ts', 'lib/auth/lease/a.ts', 'lib/auth/policy/b.ts: auth/policy may not import auth/lease'],
    ['lib/auth/new/a.ts', 'lib/core/a.ts', 'auth/new has no floor'],
  ])('refuse %s → %s', (from, to, said) => {
    expect(floorViolations([...whole, importing(from, to)], floors)).toEqual([said]);
  });

  test('name only units that exist', () => {
    expect(floorViolations(whole.slice(0, 3), floors)).toEqual(['auth/token does not exist']);
  });
});

describe('folder cycles', () => {
  test('are found at any depth, imports of types included', () => {
    const there = importing('lib/auth/methods/one/a.ts', 'lib/auth/methods/other/b.ts');
    const back = scan('lib/auth/methods/other/c.ts', "import type { A } from '../one/d.ts';");
    expect(folderCycles([there, back])).toEqual(['lib/auth/methods: one, other']);
    expect(folderCycles([there])).toEqual([]);
  });
});

describe('the paths of imports', () => {
  test.each([
    ['lib/sync/a.ts', "import { a } from '../core/a.ts';", 'lib/sync/a.ts: ../core/a.ts is #core/a.ts'],
    ['test/sync/a.ts', "import '../../lib/sync/a.ts';", '../../lib/sync/a.ts is #sync/a.ts'],
    ['test/a/b/c/d.ts', "import { a } from '../../../support/a.ts';", '../../../support/a.ts is #test/support/a.ts'],
  ])('in %s: %s', (path, text, said) => {
    expect(pathViolations([{ path, text }])).toEqual([expect.stringContaining(said)]);
  });

  test.each([
    ['lib/sync/a/b.ts', "import { a } from '../c/a.ts';"],
    ['lib/sync/a/b.ts', "import { a } from '#core/a.ts';"],
    ['lib/app.ts', "import { a } from './sync/a.ts';"],
  ])('are right in %s: %s', (path, text) => {
    expect(pathViolations([{ path, text }])).toEqual([]);
  });
});

describe('the rules on words refuse', () => {
  test.each([
    'const path = process.env.PATH;',
    "const path = process['env'];",
    'const { env } = process;',
    'export default 1;',
    'export { a as default };',
    'enum Colour { Red }',
    'export const enum Colour { Red }',
    'namespace Colours { }',
    'let a: any;',
    'const a = b as any;',
    'let a: Map<string, any>;',
  ])('%s', (text) => {
    expect(wordViolations([scan('lib/sync/a.ts', text)])).toHaveLength(1);
  });
});

describe('the rules on words allow', () => {
  test.each([
    ['lib/core/config.ts', 'const path = process.env.PATH;'],
    ['infra/a.ts', 'const path = process.env.PATH;'],
    ['test/start-services.ts', 'export default 1;'],
    ['lib/sync/a.ts', '// any enum of process.env'],
    ['lib/sync/a.ts', "const text = 'let a: any';"],
    ['lib/sync/a.ts', 'AbortSignal.any([a, b]);'],
    ['lib/sync/a.ts', 'const rules = { any: true };'],
  ])('%s: %s', (path, text) => {
    expect(wordViolations([scan(path, text)])).toEqual([]);
  });
});

describe('texts that are not about the project', () => {
  const word = (...parts: readonly string[]) => parts.join('');

  test.each([
    word('see /', 'work/main/a.ts'),
    word('cd /', 'root/app'),
    word('file:///', 'home/me/app'),
    word('from /', 'tmp/notes/a.md'),
    word('refer', 'ence/core.md'),
    word('TO', 'DO: later'),
    word('fixes iss', 'ue #12'),
    word('the archi', 'tect said'),
  ])('are found: %s', (text) => {
    expect(foreignTexts([{ path: 'README.md', text }])).toHaveLength(1);
  });

  test.each([
    'GET /v1/sys/health',
    'a checkout below /root',
    'open an issue',
    'join(tmpdir(), name)',
    '${base}/work/x',
  ])('are not found: %s', (text) => {
    expect(foreignTexts([{ path: 'README.md', text }])).toEqual([]);
  });
});

describe('a change of the schema', () => {
  test.each([
    'await sql`alter table ${sql.table(name)} drop constraint if exists ${sql.id(key)}`.execute(tx);',
    'sql`create temp table seen (id text)`',
    'sql`CREATE UNIQUE INDEX concurrently if not exists a on b (c)`',
    'sql`create or replace function f() returns trigger`',
    "db.schema.createTable('seen')",
  ])('is found outside of the migrations: %s', (text) => {
    expect(schemaChanges([{ path: 'lib/engines/a.ts', text }])).toHaveLength(1);
    expect(schemaChanges([{ path: 'lib/store/migrations/0001-a.ts', text }])).toEqual([]);
  });

  test.each([
    "summary: 'Create or replace a policy.'",
    '  // A drop table would be wrong here.',
    'sql`delete from tables`',
  ])('is not found in %s', (text) => {
    expect(schemaChanges([{ path: 'lib/engines/a.ts', text }])).toEqual([]);
  });
});
