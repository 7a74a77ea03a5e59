import { kv1, kv2 } from '#client/operations/kv.ts';
import { sync } from '#client/operations/sync.ts';
import { system } from '#client/operations/system.ts';
import { placesOf } from '../pages/overview/numbers.ts';
import { recordsUrl } from '../pages/records/filter.ts';
import { recordOf } from '../pages/records/record.ts';
import { justBefore, mountsOf, type SecretMount, secretsUrl } from '../pages/secrets/address.ts';
import type { IconName } from '../parts/icon.tsx';
import { api } from '../state/api.ts';
import { listIn } from '../table/pages.ts';

/** What the palette leads to. */
export interface Found {
  readonly kind: string;
  readonly name: string;
  readonly icon: IconName;
  readonly href: string;
}

/** Of each kind. */
const eachMax = 8;
/** Mounts that are searched, each by one request. */
const mountsMax = 5;

/**
 * What has a name with this in it. Secrets and records are found by the beginning of their path, because the server pages them in that order;
 * the search asks at most eight requests, each for a few rows. A kind that may not be read is left out.
 */
export async function search(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const parts = await Promise.all(
    [secrets(text, signal), destinations(text, signal), records(text, signal)].map(orNone),
  );
  return parts.flat();
}

const orNone = (search: Promise<readonly Found[]>): Promise<readonly Found[]> => search.catch(() => []);

async function secrets(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { data } = await api.call(system.mounts, {}, undefined, { signal });
  const mounts = mountsOf(data);
  // A path may begin with its mount.
  const named = mounts.filter(({ path }) => text.startsWith(`${path}/`));
  const asked = [
    ...named.map((mount) => ({ mount, path: text.slice(mount.path.length + 1) })),
    ...mounts.map((mount) => ({ mount, path: text })),
  ].slice(0, mountsMax);
  const found = await Promise.all(asked.map(({ mount, path }) => orNone(inMount(mount, path, signal))));
  return found.flat().slice(0, eachMax);
}

async function inMount(mount: SecretMount, path: string, signal: AbortSignal): Promise<readonly Found[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const begin = path.slice(folder.length);
  const list = mount.hasVersions ? kv2.list : kv1.list;
  const fields = { limit: eachMax, after: justBefore(begin) };
  const { data } = await api.call(list, { mount: mount.path, path: folder }, fields, { signal });
  return listIn(data, 'keys')
    .map(String)
    .filter((name) => name.startsWith(begin))
    .map((name) => {
      const isFolder = name.endsWith('/');
      const whole = `${folder}${name}`;
      return {
        kind: isFolder ? 'Folder' : 'Secret',
        name: `${mount.path}/${whole}`,
        icon: isFolder ? 'folder' : 'key',
        href: secretsUrl(isFolder ? { mount: mount.path, folder: whole } : { mount: mount.path, secret: whole }),
      };
    });
}

async function destinations(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { data } = await api.call(sync.overview, {}, undefined, { signal });
  return placesOf(data)
    .filter(({ type, name }) => `${type}/${name}`.toLowerCase().includes(text.toLowerCase()))
    .slice(0, eachMax)
    .map(({ type, name }) => ({
      kind: 'Destination',
      name: `${type}/${name}`,
      icon: 'target',
      href: `/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`,
    }));
}

async function records(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { data } = await api.call(sync.listRecords, {}, { prefix: text, limit: eachMax }, { signal });
  return listIn(data, 'records')
    .map(recordOf)
    .map(({ id, mount, secret, type, destination }) => ({
      kind: 'Record',
      name: `${mount}/${secret} at ${type}/${destination}`,
      icon: 'rows',
      href: recordsUrl({ mount, prefix: secret }, id),
    }));
}
