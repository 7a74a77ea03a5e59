// Beyond the usual files: for many secrets, one listing of the vault replaces a look at each.
import type { Inspection, Survey } from '../../contract.ts';
import type { Client } from '../client/client.ts';
import { markTag, names as rule } from '../names.ts';

/** The service's maximum. */
const pageSize = 25;
/** A vault may hold many foreign secrets. We read one page for every five secrets that we look for. */
const soughtPerPage = 5;

/** The marks of the newest versions of these secrets, as far as they are on the pages that we read. */
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
