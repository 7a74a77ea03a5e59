import { times } from '../measure/rounds.ts';

export interface Service {
  readonly address: string;
  readonly token: string;
  /** A body per type that reaches its stand-in. */
  readonly destinations: readonly { readonly type: string; readonly body: object }[];
}

const destinationsPerType = 20;
const secrets = 80;
const width = 8;

/** Many destinations of every type, and a few secrets that go to one of each type. */
export async function prepare(service: Service): Promise<void> {
  for (const { type, body } of service.destinations) {
    await times(destinationsPerType, width, (index) => ask(service, 'POST', destination(type, index), body));
  }
  await times(secrets, width, async (index) => {
    await writeSecret(service, index, 0);
    for (const { type } of service.destinations) await associate(service, type, index, 'set');
  });
}

/**
 * What a small team does in a second: reading and writing a few secrets, logging in and out, listing its destinations and, every
 * few seconds, changing the settings of one and removing and adding an association.
 */
export async function use(service: Service, round: number): Promise<void> {
  const { type, body } = pick(service.destinations, round);
  await Promise.all([
    times(2, 2, (index) => writeSecret(service, (round * 2 + index) % secrets, round)),
    times(6, 3, (index) => ask(service, 'GET', `secret/data/soak/${(round * 7 + index) % secrets}`)),
    logInAndOut(service),
    ask(service, 'GET', 'secret/metadata/soak?list=true'),
    ask(service, 'GET', `${destination(type, round % destinationsPerType)}/associations`),
    ask(service, 'GET', 'sys/health'),
  ]);
  const custom_tags = { round: String(round) };
  if (round % 2 === 0)
    await ask(service, 'PATCH', destination(type, round % destinationsPerType), { ...body, custom_tags });
  if (round % 5 === 0) await associate(service, type, round % secrets, 'remove');
  if (round % 5 === 0) await associate(service, type, round % secrets, 'set');
  if (round % 10 === 0) await ask(service, 'GET', 'sys/metrics');
  if (round % 60 === 0) await ask(service, 'GET', 'sys/sync/config?help=1');
}

const destination = (type: string, index: number): string => `sys/sync/destinations/${type}/soak-${index}`;

function associate(service: Service, type: string, secret: number, verb: 'set' | 'remove'): Promise<unknown> {
  const path = `${destination(type, secret % destinationsPerType)}/associations/${verb}`;
  return ask(service, 'POST', path, { mount: 'secret', secret_name: `soak/${secret}` });
}

/** From a password to a key file. */
const sizes: readonly number[] = [32, 200, 1_500, 6_000];

function writeSecret(service: Service, index: number, round: number): Promise<unknown> {
  const value = `${round} `.padEnd(pick(sizes, index), 'x');
  return ask(service, 'POST', `secret/data/soak/${index}`, { data: { value } });
}

async function logInAndOut(service: Service): Promise<void> {
  const { auth } = (await ask(service, 'POST', 'auth/token/create', { ttl: '1m' })) as {
    auth: { client_token: string };
  };
  const own = { ...service, token: auth.client_token };
  await ask(own, 'GET', 'auth/token/lookup-self');
  await ask(own, 'POST', 'auth/token/revoke-self');
}

const requestMsMax = 30_000;

/** @throws Error with the answer's text unless it is a success */
async function ask({ address, token }: Service, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${address}/v1/${path}`, {
    method,
    headers: {
      'x-service-token': token,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    },
    signal: AbortSignal.timeout(requestMsMax),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const found = items[index % items.length];
  if (found === undefined) throw new RangeError('nothing to pick from');
  return found;
}
