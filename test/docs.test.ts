import { glob, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import { networkFields } from '#destinations/frame/fields/network.ts';
import { definitions } from '#destinations/index.ts';
import { namer } from '#sync/template/naming.ts';
import { compileTemplate, type TemplateInput } from '#sync/template/template.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'infra/helm/keyferry/README.md',
  ...(await markdownBelow('docs')),
];

async function markdownBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { recursive: true });
  return entries.filter((entry) => entry.endsWith('.md')).map((entry) => join(folder, entry));
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Without code, in which a link or a heading would not be one. */
const prose = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchor that the usual renderers give a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (markdown: string): readonly string[] =>
  [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

async function problemOf(page: string, link: string): Promise<string | undefined> {
  if (link === '') return `${page}: a link is empty`;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
  const found = await stat(join(root, target)).catch(() => undefined);
  if (found === undefined) return `${page}: ${link} leads nowhere`;
  if (anchor === undefined || anchorsOf(await read(target)).includes(anchor)) return undefined;
  return `${page}: ${link} names no heading`;
}

test('every relative link of a page leads somewhere, its anchor included', async () => {
  expect(pages.length).toBeGreaterThan(10);
  const links = await Promise.all(
    pages.map(async (page) =>
      [...prose(await read(page)).matchAll(/\]\(([^)\s]*)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => problemOf(page, link)),
    ),
  );
  expect(links.flat().length).toBeGreaterThan(30);
  expect((await Promise.all(links.flat())).filter((problem) => problem !== undefined)).toEqual([]);
});

test('every page that a comment cites exists, and so does the section', async () => {
  const citations: string[] = [];
  for await (const path of glob(['{lib,functions,infra,test}/**/*', '*.yml', '.ci/*'], { cwd: root })) {
    if (!/\.(ts|mjs|yml|yaml|json|sh|toml|conf|tpl)$|Dockerfile$|\.ci\//.test(path) || path.startsWith('test/docs'))
      continue;
    citations.push(...((await read(path)).match(/docs\/[\w/-]+\.md(#[\w-]+)?/g) ?? []));
  }
  expect(citations.length).toBeGreaterThan(20);
  const problems = await Promise.all([...new Set(citations)].map((citation) => problemOf('README.md', citation)));
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});

test('the files and folders of the project that a page names exist', async () => {
  const named = await Promise.all(
    pages.map(async (page) =>
      [...(await read(page)).matchAll(/`((?:lib|functions|infra|test)\/[\w./-]+)`/g)].map(([, path = '']) => ({
        page,
        path,
      })),
    ),
  );
  const paths = named.flat().filter(({ page, path }) => page !== 'CHANGELOG.md' && !path.endsWith('/x'));
  expect(paths.length).toBeGreaterThan(30);
  const missing = await Promise.all(
    paths.map(async ({ page, path }) => ((await exists(join(root, path))) ? [] : [`${page}: ${path}`])),
  );
  expect(missing.flat()).toEqual([]);
});

test('the page about the configuration lists every environment variable once', async () => {
  const page = await read('docs/configuration.md');
  const listed = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  const settings = /const settings = z\.object\(\{([\s\S]*?)\n\}\);/.exec(await read('lib/core/config.ts'))?.[1] ?? '';
  const known = [...settings.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
  expect(known.length).toBeGreaterThan(20);
  expect(listed.toSorted()).toEqual(known.toSorted());
});

test.each(definitions)('the page of $type names each of its fields, names and limits', async (definition) => {
  const page = (await read(`docs/destinations/${definition.type}.md`)).replace(/\s+/g, ' ');
  const missing = Object.keys(definition.fields).filter((field) => !page.includes(`\`${field}\``));
  expect(missing).toEqual([]);
  expect(page).toContain(`\`${definition.alias}\``);
  expect(page).toContain(definition.valueBytesMax.toLocaleString('en-US'));
  const { callsPerSecond, burst } = definition.rate;
  expect(page).toMatch(new RegExp(`Budget[^:]*: ${callsPerSecond} calls a second, burst ${burst},`));
});

test('the page about all destinations names the fields that all types have', async () => {
  const page = await read('docs/destinations/README.md');
  const common = [...Object.keys(networkFields), 'granularity', 'secret_name_template', 'adopt', 'custom_tags'];
  expect(common.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
});

/** Cells of code of a table's rows: `| \`a\` | \`b\` |`. In a table `\|` stands for `|`. */
const rowsOf = (markdown: string): readonly (readonly string[])[] =>
  [...markdown.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split(/ (?<!\\)\| /).map((cell) => cell.replace(/^`+ ?| ?`+$/g, '').replaceAll('\\|', '|')),
  );

const sectionOf = (markdown: string, heading: string): string =>
  new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(markdown)?.[1] ?? '';

test.each(definitions)('the default names on the page of $type are what its templates render', async (definition) => {
  const { type, templates, names } = definition;
  const rows = rowsOf(await read(`docs/destinations/${type}.md`));
  const namespace = { namespaceId: rootNamespace.id, namespacePath: '' };
  const secret = { type, ...namespace, destinationName: 'prod', mountPath: 'secret/', mountAccessor: 'kv_1a2b3c4d' };
  for (const granularity of ['secret-path', 'secret-key'] as const) {
    const [, template, name] = rows.find(([first]) => first === granularity) ?? [];
    expect(template).toBe(templates[granularity]);
    const key = granularity === 'secret-key' ? 'db-password' : '';
    const rendered = namer(compileTemplate(templates[granularity]), names, {
      ...secret,
      secretName: 'team-a/my app.v2',
    })(key);
    expect(rendered).toEqual({ ok: true, name });
  }
});

const example: TemplateInput = {
  DestinationType: 'cloud-a-sm',
  DestinationName: 'prod',
  NamespacePath: 'org/team-a',
  NamespaceBaseName: 'team-a',
  NamespaceID: 'q7FzK',
  MountPath: 'team/kv',
  MountBaseName: 'kv',
  MountAccessor: 'kv_1a2b3c4d',
  SecretPath: 'shop/db main',
  SecretBaseName: 'db main',
  SecretKey: 'password',
};

test('every field of the page about templates has the value beside it, for the secret of the example', async () => {
  const rows = rowsOf(sectionOf(await read('docs/destinations/templates.md'), 'Fields')).slice(2);
  const anyName = {
    lengthMax: 100,
    pattern: /x/,
    text: 'any',
    normalise: String,
    refuse: () => undefined,
    key: String,
  };
  const secretOfExample = {
    type: 'cloud-a-sm',
    destinationName: 'prod',
    namespacePath: 'org/team-a/',
    namespaceId: 'q7FzK',
    mountPath: 'team/kv/',
    mountAccessor: 'kv_1a2b3c4d',
    secretName: 'shop/db main',
  };
  const rendered = (field: string) => namer(compileTemplate(`{{ ${field} }}`), anyName, secretOfExample)('password');
  const shown = rows.flatMap(([fields = '', , values = '']) => {
    const all = values.split('`, `');
    return fields.split('`, `').map((field, index) => [field, all[index]] as const);
  });
  expect(shown.map(([field]) => field.slice(1)).toSorted()).toEqual(Object.keys(example).toSorted());
  for (const [field, value] of shown) expect(rendered(field), field).toEqual({ ok: true, name: value });
});

test('every example of the page about templates renders to the name beside it', async () => {
  const rows = rowsOf(sectionOf(await read('docs/destinations/templates.md'), 'Examples')).slice(2);
  expect(rows.length).toBeGreaterThan(10);
  for (const [template = '', name] of rows) expect(compileTemplate(template).render(example), template).toBe(name);
});

test('every faulty template of that page is refused with the error beside it', async () => {
  const rows = rowsOf(sectionOf(await read('docs/destinations/templates.md'), 'Errors')).slice(2);
  expect(rows.length).toBeGreaterThan(5);
  for (const [template = '', error = ''] of rows) {
    expect(() => compileTemplate(template).render(example), template).toThrow(error.replace(/ …$/, ''));
  }
});

test('every JSON of the docs can be read', async () => {
  const texts = await Promise.all(pages.map(read));
  const blocks = texts.flatMap((text) => [...text.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, json = '']) => json));
  expect(blocks.length).toBeGreaterThan(3);
  for (const json of blocks) expect(() => JSON.parse(json), json).not.toThrow();
});
