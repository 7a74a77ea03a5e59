import type { OpenService } from './open-service.ts';

/** The accessor of a mount: of an engine (`secret`) or an auth method (`auth`). The path of a method is without `auth/`. */
export async function accessorOf(service: OpenService, kind: 'secret' | 'auth', path: string): Promise<string> {
  const { data } = await service.ask('GET', 'sys/internal/ui/mounts');
  const mounts = data[kind] as Readonly<Record<string, { readonly accessor: string }>>;
  const mount = mounts[path];
  if (mount === undefined) throw new Error(`no mount at ${path}`);
  return mount.accessor;
}
