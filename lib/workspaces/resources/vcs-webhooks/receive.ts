import { forbidden, unprocessable } from '#path/jsonapi/error.ts';
import { jsonObject, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { webhookOf } from '../oauth-clients/webhook.ts';
import type { Announcement } from '../vcs-ingresses/announcement.ts';
import { recordIngress } from '../vcs-ingresses/record.ts';
import { verdictOf } from '../vcs-ingresses/triggers.ts';
import { settingsOf } from '../workspace-settings/settings.ts';
import { forms, textOf } from './forms.ts';
import { matchesTag } from './tags.ts';

/** Workspaces of one repository that one event reaches. */
const workspacesMax = 1_000;

export interface Delivered {
  readonly clientId: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Verifies a delivery and stores what it announces. Nothing is fetched here, so that the answer comes soon.
 *
 * @throws ApiError 403 for an unknown client and for a wrong signature alike; 422 for a body that is no JSON, or a repository without a workspace
 */
export async function receiveDelivery(store: Store, { clientId, headers, body }: Delivered): Promise<void> {
  const webhook = await webhookOf(store, clientId);
  const form = forms[webhook?.form ?? 'github'];
  // An unknown client costs the same as a wrong signature.
  const isSigned = form.isSigned(headers, body, webhook?.secret ?? 'none');
  if (webhook === undefined || !isSigned) throw forbidden();
  const announced = form.read(textOf(headers[form.event]), parsed(body));
  const delivery = form.deliveryOf(headers, body);
  for (const [at, announcement] of announced.entries())
    await announce(store, { ...webhook, clientId, delivery: `${delivery} ${at}`, announcement });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw unprocessable('The body is not JSON: the webhook must send application/json', { cause });
  }
}

interface Announced {
  readonly clientId: string;
  readonly organizationId: string;
  readonly form: string;
  readonly delivery: string;
  readonly announcement: Announcement;
}

async function announce(store: Store, announced: Announced): Promise<void> {
  const { announcement } = announced;
  const workspaces = await workspacesOf(store, announced);
  if (workspaces.length === 0) throw unprocessable('No workspace is connected to this repository');
  for (const { id, settings: stored, identifier } of workspaces) {
    const settings = settingsOf(stored);
    const repo = settings['vcs-repo'];
    const verdict = repo === null ? undefined : verdictOf(announcement, repo, settings);
    if (repo === null || verdict?.takes !== true) continue;
    if (announcement.kind === 'tag' && !(await matchesTag(store, repo['tags-regex'] ?? '', announcement.name ?? '')))
      continue;
    const { onlyDefaultBranch, onlyChanged, speculative } = verdict;
    await store.transaction((tx) =>
      recordIngress(tx, {
        workspaceId: id,
        announcement: { ...announcement, repository: identifier },
        request: { onlyDefaultBranch, onlyChanged, isAsked: false, mayApply: !speculative },
        speculative,
        autoQueueRuns: true,
        source: announced.form,
        delivery: announced.delivery,
        actor: { kind: 'organization', id: announced.organizationId },
      }),
    );
  }
}

/** Hosts ignore the case of names. */
async function workspacesOf({ db }: Pick<Store, 'db'>, { clientId, announcement }: Announced) {
  const { rows } = await rowsOf({ id: text, settings: jsonObject, identifier: text })`
    select w.id, w.settings, w.settings->'vcs-repo'->>'identifier' as identifier
      from ws_oauth_tokens t join ws_workspaces w on w.oauth_token_id = t.id
     where t.client_id = ${clientId} and lower(w.settings->'vcs-repo'->>'identifier') = lower(${announcement.repository})
     order by w.id limit ${workspacesMax}`.execute(db);
  return rows;
}
