// Beyond the usual files: the SDK takes answers of something else for those of the service, so each is checked before it.
import { z } from 'zod';
import { StrangeAnswer } from '../../network/strange-answer.ts';
import { jsonIn } from '../frame/answer/json-in.ts';

/** https://cloud.google.com/secret-manager/docs/reference/rest, the operations of secrets and their versions. */
const pathForm = /\/projects\/[^/]+\/secrets(?:\/([^/:]+))?(\/versions)?(?:\/([^/:]+))?(?::(\w+))?$/;

const named = z.object({ name: z.string() });
const listing = z.object({ versions: z.array(named).optional(), nextPageToken: z.string().optional() });
const nothing = z.strictObject({});

/**
 * A success has to speak of the secret that was asked for. The SDK leaves out members that it does not know, so that any JSON, or
 * none, would pass for an answer.
 *
 * @throws StrangeAnswer
 */
export async function refuseStranger(method: string, url: URL, response: Response): Promise<void> {
  if (response.status !== 200) throw new StrangeAnswer(`status ${response.status} is not one of its successes`);
  const body = jsonIn(await response.text());
  if (body === undefined) throw new StrangeAnswer('it is not JSON');
  const problem = problemOf(method, url, body);
  if (problem !== undefined) throw new StrangeAnswer(problem);
}

function problemOf(method: string, { pathname, searchParams }: URL, body: unknown): string | undefined {
  const [, given, versions, version, action] = pathForm.exec(pathname) ?? [];
  const id = given ?? searchParams.get('secretId') ?? '';
  if (method === 'DELETE') return nothing.safeParse(body).success ? undefined : 'it is no answer to a removal';
  if (versions !== undefined && version === undefined)
    return isListing(id, body) ? undefined : 'it is no list of versions';
  const { data } = named.safeParse(body);
  const isVersion = version !== undefined || action === 'addVersion';
  const form = isVersion ? versionForm : secretForm;
  return data !== undefined && form.exec(data.name)?.[1] === id ? undefined : 'it names no such secret or version';
}

// In names the provider gives the number of the project, whatever was asked for.
const secretForm = /^projects\/[^/]+\/secrets\/([^/]+)$/;
const versionForm = /^projects\/[^/]+\/secrets\/([^/]+)\/versions\/\d+$/;

/** The last page may be empty, and then nothing at all is in it. */
function isListing(id: string, body: unknown): boolean {
  const { data } = listing.safeParse(body);
  if (data === undefined) return false;
  if (data.versions === undefined) return z.strictObject({ totalSize: z.number().optional() }).safeParse(body).success;
  return data.versions.every(({ name }) => versionForm.exec(name)?.[1] === id);
}
