import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { run } from '#cli/run.ts';
import { runLine } from '../support/cli/line.ts';
import { serviceOf } from '../support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm', 'repo-host']);

/** Runs a command line on a terminal, whose user answers by the beginning of a question. Returns what the terminal has shown. */
async function onTerminal(argv: readonly string[], answers: Readonly<Record<string, string | readonly string[]>>) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const asked = new Map<string, number>();
  let [shown, question] = ['', ''];
  const write = (part: string | Uint8Array) => {
    const text = Buffer.from(part).toString();
    shown += text;
    question = text.endsWith(': ') ? text : '';
    if (question === '') return;
    const label = question.replace(/^[\s\S]*\n/, '').replace(/ \(.*|: $/g, '');
    const times = asked.get(label) ?? 0;
    asked.set(label, times + 1);
    const given = answers[label] ?? '';
    const answer = typeof given === 'string' ? given : (given[times] ?? '');
    setImmediate(() => input.write(`${answer}\r`));
  };
  const code = await run({
    argv,
    environment: { KEYFERRY_ADDR: service.address, KEYFERRY_TOKEN: service.rootToken },
    input,
    output: { write: () => {} },
    errors: { write, isTTY: true },
    home: '/nonexistent',
    version: '0.0.0',
    signal: new AbortController().signal,
    openBrowser: async () => {},
    runAgent: async () => {},
  });
  return { code, shown, labels: [...asked.keys()], asked };
}

test('a destination is created field by field, and hidden answers are not shown', async () => {
  const name = service.name('form');
  const fields = service.fake('cloud-a-sm').destination as Record<string, string>;
  const { code, shown, labels } = await onTerminal(['destinations', 'create', `cloud-a-sm/${name}`, '--all-fields'], {
    Region: 'us-east-1',
    'Access key ID': 'AKIAANSWERED00000000',
    'Secret access key': 'hidden-answer',
    'Recovery window in days': '9',
    Tags: 'team=a, stage=prod',
    Endpoint: fields['endpoint'] ?? '',
    'Allowed ports': new URL(fields['endpoint'] ?? '').port,
    'Allowed IPv4 blocks': '127.0.0.0/8',
  });
  expect(code, shown).toBe(0);
  expect(shown).not.toContain('hidden-answer');
  // It needs a role.
  expect(labels).not.toContain('External ID');
  const made = await service.api.read<{ options: object }>(`sys/sync/destinations/cloud-a-sm/${name}`);
  expect(made.options).toMatchObject({ custom_tags: { team: 'a', stage: 'prod' } });
});

test('fields that earlier answers exclude are not asked, required ones are asked again, and so are refused ones', async () => {
  const name = service.name('form');
  const { code, shown, labels, asked } = await onTerminal(['destinations', 'create', `repo-host/${name}`], {
    'Secrets location': ['nowhere', 'repository'],
    'Repository owner': 'acme',
    Repository: 'shop',
    'Access token': 'ghp_answered',
    Adopt: ['perhaps', 'no'],
    'Name template': ['{{ .Nothing }}', ''],
  });
  expect(code, shown).toBe(0);
  expect(shown).toContain('"nowhere" is not one of repository, organization');
  expect(shown).toContain('secret_name_template: ');
  expect(shown).toContain('"perhaps" is neither yes nor no');
  expect(labels).not.toContain('App');
  expect(labels).not.toContain('Organization');
  expect([asked.get('Secrets location'), asked.get('Repository owner'), asked.get('Name template')]).toEqual([2, 1, 2]);
});

test('without a terminal a file is needed', async () => {
  const at = { address: service.address, token: service.rootToken };
  expect(await runLine(['destinations', 'create', 'cloud-a-sm/a'], at)).toMatchObject({
    code: 2,
    errors: expect.stringContaining('name a file'),
  });
});
