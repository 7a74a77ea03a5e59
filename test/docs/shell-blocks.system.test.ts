import { expect, test } from 'vitest';
import { allShellBlocks, shellBlocks } from './blocks.ts';
import { runPage } from './run-page.ts';

const blocks = await allShellBlocks();
const isRun = ({ info }: { readonly info: string }) => info === 'sh';
const pages = [...new Set(blocks.filter(isRun).map(({ page }) => page))];

/** Blocks that need a machine, a cluster or an account that a test has not got. Raise it only with a reason in the page. */
const notRunMax = 20;

test('every shell block is run, or says why it is not', () => {
  expect(pages.length).toBeGreaterThan(15);
  const others = blocks.filter((block) => !isRun(block));
  const unexplained = others.filter(({ info, reason }) => info !== 'sh no-run' || reason === undefined);
  expect(unexplained.map(({ page, line, info }) => `${page}:${line} ${info}`)).toEqual([]);
  expect(others.length).toBeLessThanOrEqual(notRunMax);
});

test.each(pages)('the commands of %s succeed, in their order, on a new development server', async (page) => {
  const run = await runPage(blocks.filter((block) => block.page === page && isRun(block)));
  expect(run.code, run.output).toBe(0);
});

test('the page about the workspace service ends with a token of a team that may create workspaces and no more', async () => {
  const run = await runPage(blocks.filter((block) => block.page === 'docs/workspaces/README.md' && isRun(block)));
  expect(run.output).toContain('"can-create-workspace": true');
  expect(run.output).toContain('"can-update": false');
});

test('a command that the server refuses fails its page, and the report names it', async () => {
  const policy = '{"policy": "\n  path \\"secret/*\\" { capabilities = [\\"read\\"] }\n"}';
  const page = ['```sh', `curl -s -H "$H" -X PUT $A/sys/policies/acl/team-a -d '${policy}'`, '```'].join('\n');
  const { code, output } = await runPage(shellBlocks('page.md', page));
  expect(code).not.toBe(0);
  expect(output).toContain('failed: page.md:1: curl -s');
  expect(output).toContain('invalid JSON at character 12');
});
