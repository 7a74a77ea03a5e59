import { setTimeout as pause } from 'node:timers/promises';
import { associationsOf } from '../../support/flow/associations.ts';
import type { Owned, Play } from './secrets.ts';
import type { Stage } from './stage.ts';

const lookMs = 200;

/** Watches the stand-ins continuously for a copy that goes back to an older value. Returns a function that stops it. */
export function watchCopies({ fakes }: Stage, { tally }: Play): () => void {
  const newest = new Map<string, number>();
  const look = () => {
    for (const [type, fake] of fakes) {
      for (const [name, { value }] of fake.objects()) {
        const key = `${type} ${name}`;
        const found = numberIn(value);
        const before = newest.get(key) ?? 0;
        if (Number.isNaN(found)) tally.violation(`${key} holds ${value}`);
        else if (found < before) tally.violation(`${key} went back from ${before} to ${found}`);
        newest.set(key, Math.max(before, found || 0));
      }
    }
  };
  const timer = setInterval(look, lookMs);
  return () => clearInterval(timer);
}

/** The value of a copy of the whole secret, or of its only key. */
const numberIn = (value = ''): number => Number(/^(?:\{"v":")?(\d+)(?:"\})?$/.exec(value)?.[1] ?? Number.NaN);

/** Waits until nothing is left to do. Returns whether that happened in time. */
export async function untilQuiet({ pool }: Stage, msMax: number): Promise<boolean> {
  const deadline = Date.now() + msMax;
  const text = 'select count(*)::int as n from associations where generation > observed_generation';
  while (Date.now() < deadline) {
    const { rows } = await pool.query<{ n: number }>(text);
    if (rows[0]?.n === 0) return true;
    await pause(lookMs);
  }
  return false;
}

/** Checks that every secret has its last acknowledged value at the service and at exactly the destinations it is associated with. */
export async function checkCopies(stage: Stage, play: Play, secrets: readonly Owned[]): Promise<number> {
  const { call, tally, rootToken } = play;
  let copies = 0;
  for (const destination of play.destinations) {
    const [type = ''] = destination.split('/');
    const listed = await call('check', 'GET', `/v1/sys/sync/destinations/${destination}/associations`, {
      token: rootToken,
    });
    const records = associationsOf(listed.body['data']);
    const objects = stage.fakes.get(type)?.objects() ?? new Map();
    const wanted = secrets.filter((secret) => secret.wanted.has(destination));
    for (const secret of wanted) {
      const record = records.find((one) => one.secret_name === secret.name);
      const found = objects.get(record?.external_name ?? '')?.value;
      if (numberIn(found) !== secret.value) {
        tally.violation(`${destination}: ${secret.name} is ${found}, and should be ${secret.value}`);
      }
      if (record?.sync_status !== 'SYNCED') {
        tally.violation(`${destination}: ${secret.name} is ${record?.sync_status} ${JSON.stringify(record?.error)}`);
      }
    }
    if (objects.size !== wanted.length) {
      tally.violation(`${destination} holds ${objects.size} copies, and should hold ${wanted.length}`);
    }
    copies += objects.size;
  }
  return copies;
}
