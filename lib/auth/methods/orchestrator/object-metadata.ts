import { z } from 'zod';
import { RemoteFailure } from '../../login/remote/failure.ts';
import type { Remote } from '../../login/remote/remote.ts';
import type { ServiceAccount } from './account.ts';
import { type Access, apiUrl, mustBeDone } from './review.ts';

const texts = z.record(z.string(), z.string()).nullish();
const answer = z.object({ metadata: z.object({ labels: texts, annotations: texts }) });

type Texts = Readonly<Record<string, string>>;

/** The labels of a namespace. Undefined when it does not exist. @throws RemoteFailure */
export async function namespaceLabels(remote: Remote, access: Access, namespace: string): Promise<Texts | undefined> {
  const metadata = await read(remote, access, `/api/v1/namespaces/${encodeURIComponent(namespace)}`);
  return metadata && (metadata.labels ?? {});
}

/** Annotations with this prefix become metadata of the alias. */
const prefix = 'vault.hashicorp.com/alias-metadata-';
/** Bounds of the metadata of an alias. */
const valueCharactersMax = 512;
const annotationsMax = 64;

/** The annotations of a service account for its alias. @throws RemoteFailure */
export async function aliasAnnotations(
  remote: Remote,
  access: Access,
  { namespace, name }: ServiceAccount,
): Promise<Texts> {
  const account = `${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(name)}`;
  const metadata = await read(remote, access, `/api/v1/namespaces/${account}`);
  const found = Object.entries(metadata?.annotations ?? {}).filter(
    ([key, value]) => key.startsWith(prefix) && key.length > prefix.length && value.length <= valueCharactersMax,
  );
  return Object.fromEntries(found.slice(0, annotationsMax).map(([key, value]) => [key.slice(prefix.length), value]));
}

async function read(remote: Remote, { host, caCertificates, bearer, signal }: Access, path: string) {
  const { status, json } = await remote.ask({ url: apiUrl(host, path), caCertificates, bearer, signal });
  if (status === 404) return undefined;
  mustBeDone(status);
  const found = answer.safeParse(json);
  if (!found.success) throw new RemoteFailure('its reply is not the requested object');
  return found.data.metadata;
}
