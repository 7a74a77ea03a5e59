import { z } from 'zod';
import { RemoteFailure } from '../../login/remote/failure.ts';
import type { Remote } from '../../login/remote/remote.ts';
import type { ServiceAccount } from './account.ts';
import { type Access, apiUrl, mustBeDone } from './review.ts';

const texts = z.record(z.string(), z.string()).nullish();
const answer = z.object({ metadata: z.object({ labels: texts, annotations: texts }) });

type Texts = Readonly<Record<string, string>>;

/** The labels of a namespace; undefined: there is no such namespace. @throws RemoteFailure */
export async function namespaceLabels(remote: Remote, access: Access, namespace: string): Promise<Texts | undefined> {
  const metadata = await read(remote, access, `/api/v1/namespaces/${encodeURIComponent(namespace)}`);
  return metadata && (metadata.labels ?? {});
}

/** Annotations with this prefix are for the alias; its name stands behind. */
const prefix = 'vault.hashicorp.com/alias-metadata-';
/** What an alias keeps of one. */
const valueCharactersMax = 512;
const annotationsMax = 64;

/** What the annotations of a service account say of its alias. @throws RemoteFailure */
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
  if (!found.success) throw new RemoteFailure('its answer is not what was asked for');
  return found.data.metadata;
}
