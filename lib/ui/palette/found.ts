import { sync } from '#client/operations/sync.ts';
import { placesOf } from '../pages/overview/numbers.ts';
import { recordsUrl } from '../pages/records/filter.ts';
import { recordOf } from '../pages/records/record.ts';
import { api } from '../state/api.ts';
import { listIn } from '../table/pages.ts';
import { eachMax, type Found, type Search } from './kind.ts';
import { secrets } from './secrets.ts';
import { organizations } from './workspaces.ts';

const nothing: Search = { found: [], left: [] };

/**
 * What has a name with this in it. Secrets and records are found by the beginning of their path, because the server pages them in that order.
 * Each kind asks a bounded number of requests, each for a few rows. A kind that may not be read is left out.
 */
export async function search(text: string, signal: AbortSignal): Promise<Search> {
  const kinds = [secrets, destinations, records, organizations];
  const parts = await Promise.all(kinds.map((kind) => kind(text, signal).catch(() => nothing)));
  return { found: parts.flatMap(({ found }) => found), left: parts.flatMap(({ left }) => left) };
}

/** Of one request. */
const destinationsMax = 500;

/** The server looks for a part of the name. A text with a slash has the end of a type before it. */
async function destinations(text: string, signal: AbortSignal): Promise<Search> {
  const find = text.slice(text.lastIndexOf('/') + 1);
  const { data } = await api.call(sync.overview, {}, { find, limit: destinationsMax }, { signal });
  const all = placesOf(data).filter(({ type, name }) => `${type}/${name}`.toLowerCase().includes(text.toLowerCase()));
  const found = all.slice(0, eachMax).map(
    ({ type, name }): Found => ({
      kind: 'Destination',
      name: `${type}/${name}`,
      icon: 'target',
      href: `/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`,
    }),
  );
  return { found, left: all.length > eachMax ? ['more destinations have this name'] : [] };
}

async function records(text: string, signal: AbortSignal): Promise<Search> {
  const { data } = await api.call(sync.listRecords, {}, { prefix: text, limit: eachMax }, { signal });
  const found = listIn(data, 'records')
    .map(recordOf)
    .map(
      ({ id, mount, secret, type, destination }): Found => ({
        kind: 'Record',
        name: `${mount}/${secret} at ${type}/${destination}`,
        icon: 'rows',
        href: recordsUrl({ mount, prefix: secret }, id),
      }),
    );
  return { found, left: found.length === eachMax ? ['more records may begin with it'] : [] };
}
