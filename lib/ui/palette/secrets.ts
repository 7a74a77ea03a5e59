import { kv1, kv2 } from '#client/operations/kv.ts';
import { system } from '#client/operations/system.ts';
import { justBefore, mountsOf, type SecretMount, secretsUrl } from '../pages/secrets/address.ts';
import { count } from '../parts/relative.ts';
import { api } from '../state/api.ts';
import { listIn } from '../table/pages.ts';
import { eachMax, type Found, type Search } from './kind.ts';

/** Mounts that are searched, each by one request. */
const mountsMax = 50;
/** Requests at the same time: browsers keep more waiting anyway. */
const atOnceMax = 6;

interface Begin {
  readonly mount: SecretMount;
  /** With which the path begins, without that of the mount. */
  readonly path: string;
}

/** Secrets and folders whose path begins with the text, with or without their mount. */
export async function secrets(text: string, signal: AbortSignal): Promise<Search> {
  const { data } = await api.call(system.mounts, {}, undefined, { signal });
  const mounts = mountsOf(data);
  const begins = beginsOf(mounts, text);
  const parts: (readonly Found[])[] = [];
  for (let first = 0; first < Math.min(begins.length, mountsMax); first += atOnceMax) {
    const some = begins.slice(first, Math.min(first + atOnceMax, mountsMax));
    parts.push(...(await Promise.all(some.map((begin) => inMount(begin, signal).catch(() => [])))));
  }
  // Each begins with the text, so the shortest are the nearest to it.
  const all = parts.flat().toSorted((a, b) => a.name.length - b.name.length);
  const cut =
    begins.length > mountsMax
      ? [`only ${count(mountsMax)} of ${count(mounts.length)} mounts are searched, others by their whole path`]
      : [];
  const isMore = all.length > eachMax || parts.some(({ length }) => length >= eachMax);
  return { found: all.slice(0, eachMax), left: isMore ? [...cut, 'more secrets begin with it'] : cut };
}

/** A text that names mounts is searched there first. */
function beginsOf(mounts: readonly SecretMount[], text: string): readonly Begin[] {
  const named = mounts.filter(({ path }) => text.startsWith(`${path}/`));
  return [
    ...named.map((mount) => ({ mount, path: text.slice(mount.path.length + 1) })),
    ...mounts.map((mount) => ({ mount, path: text })),
  ];
}

async function inMount({ mount, path }: Begin, signal: AbortSignal): Promise<readonly Found[]> {
  signal.throwIfAborted();
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
