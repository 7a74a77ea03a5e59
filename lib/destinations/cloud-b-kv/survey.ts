// Beyond the usual files: many secrets are looked at by the list of the vault.
import type { Inspection, Survey } from '../contract.ts';
import type { Client } from './client.ts';
import { names as rule } from './names.ts';
import { markTag } from './tags.ts';

/** The service's most. */
const pageSize = 25;
/** A vault may hold many secrets of others. A page pays if one in five of the secrets that are sought is on it. */
const soughtPerPage = 5;

/** The marks of the newest versions of these secrets, as far as the list comes to them in the pages that pay. */
export async function survey(client: Client, sought: readonly string[], signal: AbortSignal): Promise<Survey> {
  const open = new Map(sought.map((name) => [rule.key(name), name]));
  const found = new Map<string, Inspection>();
  const pagesMax = Math.ceil(sought.length / soughtPerPage);
  return client.read(signal, async (secrets) => {
    let calls = 0;
    for await (const page of secrets
      .listPropertiesOfSecrets({ abortSignal: signal })
      .byPage({ maxPageSize: pageSize })) {
      calls += 1;
      for (const { name, tags = {} } of page) {
        const asked = open.get(rule.key(name));
        if (asked !== undefined) found.set(asked, { remoteVersion: null, mark: tags[markTag] ?? null, tags });
      }
      if (calls === pagesMax || found.size === open.size) break;
    }
    return { found, calls: Math.max(calls, 1) };
  });
}
