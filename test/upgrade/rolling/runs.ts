import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answer } from './caller.ts';
import type { Play } from './secrets.ts';

interface Item {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const itemOf = ({ body }: Answer): Item => body['data'] as Item;

const lineage = '6e5c1a32-5d6f-4a83-9d9b-0d3c1f2a7b11';

/** Plays runs of one workspace from the plan to the end, and states of another, at any release. */
export async function playWorkspaces(play: Play, name: string): Promise<void> {
  const ask = asking(play);
  const organization = { type: 'organizations', attributes: { name, email: `${name}@keyferry.test` } };
  await ask('POST', '/organizations', organization);
  const make = async (attributes: object) =>
    itemOf(await ask('POST', `/organizations/${name}/workspaces`, { type: 'workspaces', attributes })).id;
  const planned = await make({ name: 'planned', 'execution-mode': 'agent' }).catch(() => make({ name: 'planned' }));
  const local = await make({ name: 'local', 'execution-mode': 'local' });
  await configure(play, planned);
  for (let serial = 1; !play.isOver(); serial += 1) {
    await run(play, planned);
    await state(play, local, serial);
  }
}

type Ask = (method: string, path: string, data?: object) => Promise<Answer>;

const asking =
  ({ call, rootToken }: Play): Ask =>
  (method, path, data) =>
    call('workspace', method, `/api/v2${path}`, {
      token: rootToken,
      ...(data === undefined ? {} : { body: { data } }),
    });

async function configure(play: Play, workspace: string): Promise<void> {
  const made = await asking(play)('POST', `/workspaces/${workspace}/configuration-versions`, {
    type: 'configuration-versions',
    attributes: { 'auto-queue-runs': false },
  });
  const url = String(itemOf(made).attributes['upload-url']);
  const { status } = await fetch(url, { method: 'PUT', body: gzipSync('a tar archive') });
  if (status >= 300) throw new Error(`the configuration was answered with ${status}`);
}

async function run(play: Play, workspace: string): Promise<void> {
  const ask = asking(play);
  const made = await ask('POST', '/runs', {
    type: 'runs',
    attributes: {},
    relationships: { workspace: { data: { type: 'workspaces', id: workspace } } },
  });
  if (made.status !== 201) return play.tally.violation(`a run was answered with ${made.status}`);
  // A request whose answer was cut off has created a run as well, which goes first.
  const listed = await ask('GET', `/workspaces/${workspace}/runs`);
  const open = (listed.body['data'] as readonly Item[]).filter(({ attributes }) =>
    ['pending', 'plan_queued'].includes(String(attributes['status'])),
  );
  for (const { id } of open.toReversed()) await apply(play, id);
}

async function apply(play: Play, id: string): Promise<void> {
  const ask = asking(play);
  const said: number[] = [];
  const report = async (part: 'plan' | 'apply', attributes: object) => {
    const type = part === 'plan' ? 'plans' : 'applies';
    said.push((await ask('PATCH', `/${type}/${id.replace('run', part)}`, { type, attributes })).status);
  };
  await report('plan', { status: 'running' });
  await report('plan', { status: 'finished', 'has-changes': true });
  said.push((await ask('POST', `/runs/${id}/actions/apply`)).status);
  await report('apply', { status: 'running' });
  await report('apply', { status: 'finished' });
  const { status } = itemOf(await ask('GET', `/runs/${id}`)).attributes;
  if (status !== 'applied') play.tally.violation(`a run is ${String(status)} and not applied (${said.join()})`);
}

/** Uploads a state under a lock and checks that it is the current one afterwards. */
async function state(play: Play, workspace: string, serial: number): Promise<void> {
  const ask = asking(play);
  const text = JSON.stringify({ version: 4, terraform_version: '1.11.4', serial, lineage, outputs: {}, resources: [] });
  const md5 = createHash('md5').update(text).digest('hex');
  await ask('POST', `/workspaces/${workspace}/actions/lock`);
  const attributes = { serial, lineage, md5, state: btoa(text) };
  const { status } = await ask('POST', `/workspaces/${workspace}/state-versions`, {
    type: 'state-versions',
    attributes,
  });
  await ask('POST', `/workspaces/${workspace}/actions/unlock`);
  const current = itemOf(await ask('GET', `/workspaces/${workspace}/current-state-version`));
  const found = current?.attributes['serial'];
  // 409: the answer to the first request was cut, and the state is there.
  if ((status !== 201 && status !== 409) || found !== serial) {
    play.tally.violation(`state ${serial} was answered with ${status}, and the current one is ${String(found)}`);
  }
}
