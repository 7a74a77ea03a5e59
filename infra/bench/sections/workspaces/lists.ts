import type { Figure } from '../../measure/figure.ts';
import { addressed, type Server } from '../../measure/http-load.ts';
import { compare, p95 } from '../../measure/rounds.ts';
import type { Bench, Section } from '../../section.ts';
import { fillWorkspaces, organizationName, sharedId } from '../../workspaces/fill.ts';
import { counted } from '../../workspaces/statements.ts';

const workspaceCount = 10_000;
const millisecondsMax = 20;
const statementsMax = 6;
const limitMs = 120_000;

const list = `/api/v2/organizations/${organizationName}/workspaces`;
const filters = [
  'search[name]=work',
  'search[exclude-tags]=tag-3,tag-4',
  'filter[tagged][0][key]=env',
  'filter[tagged][0][value]=prod',
].join('&');

/** Pages of twenty, requested by a caller who owns nothing. */
const pages: Readonly<Record<string, string>> = {
  'Page 1 of the workspaces': `${list}?`,
  'Page 1 by name, tags and bindings': `${list}?${filters}`,
  'Page 50 of the workspaces by their last change': `${list}?page[number]=50&sort=-latest-change-at`,
  'Workspaces of one tag, with projects': `${list}?search[tags]=tag-7&include=project`,
  'Consumers of a state that all may read': `/api/v2/workspaces/${sharedId}/relationships/remote-state-consumers?`,
};

/** One page of the same rows, read by the database's own client. */
const bareSelect = {
  name: 'bare-workspaces',
  text: 'select * from ws_workspaces where organization_id = $1 order by lower(name) limit 20',
  values: ['org-bench'],
};

/** Lists of workspaces over HTTP, one request after another, compared with the bare SELECT of a page. */
export const workspacesSection: Section = {
  name: 'workspaces',
  title: `Lists of an organization with ${workspaceCount} workspaces and 1,000 tags, for a caller who may read half of them`,
  async measure(bench) {
    const token = await fillWorkspaces(bench.stage, workspaceCount);
    const api = await bench.stage.start('api', addressed);
    try {
      const figures: Figure[] = [];
      for (const [what, path] of Object.entries(pages)) {
        bench.report(what);
        figures.push(await timeOf(bench, api, { what, path, token }), await statementsOf(bench, { path, token }));
      }
      return figures;
    } finally {
      await api.end();
    }
  },
};

interface Asked {
  readonly path: string;
  readonly token: string;
}

async function timeOf(
  bench: Bench,
  { ready }: Server,
  { what, path, token }: Asked & { readonly what: string },
): Promise<Figure> {
  const [rounds, count] = bench.quick ? [1, 50] : [3, 300];
  const ask = async () => {
    const answer = await fetch(`${ready.address}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${text}`);
  };
  const select = async () => void (await bench.stage.database.query(bareSelect));
  // The first requests prepare statements and warm up the compiler.
  await p95(30, ask);
  const { value, ...compared } = await compare(
    rounds,
    limitMs,
    () => p95(count, ask),
    () => p95(count, select),
  );
  return { what: `${what}, p95; bare: one SELECT`, value, unit: 'ms', compared, target: { bound: millisecondsMax } };
}

async function statementsOf({ stage }: Bench, { path, token }: Asked): Promise<Figure> {
  const { answer, statements } = await counted(() =>
    stage.api.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${token}` } }),
  );
  if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${answer.payload}`);
  return { what: '  statements', value: statements, unit: '', target: { bound: statementsMax } };
}
