import { notices } from '../operations/notices.ts';
import { CallFailure } from '../wire/failure.ts';
import { memberOf, textOf, textsOf } from '../wire/json.ts';
import { type Finding, passed, unanswered, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Webhooks that are looked at, each by a request. */
const webhooksMax = 5;
/** Messages of each that are counted. */
const deadMax = 100;

/** Whether webhooks have messages that no attempt could deliver. */
export async function webhookFindings({ look }: Installation): Promise<readonly Finding[]> {
  try {
    const names = textsOf(await look(notices.listNotifications), 'keys');
    const findings: Finding[] = [];
    for (const name of names.slice(0, webhooksMax)) {
      const found = await look(notices.listDeliveries, {
        parameters: { name },
        fields: { state: 'dead', limit: deadMax },
      });
      const dead = memberOf(found, 'deliveries');
      const count = Array.isArray(dead) ? dead.length : 0;
      const counted = textOf(found, 'after') === '' ? `${count}` : `at least ${count}`;
      const finding = `${name} has ${counted} messages that could not be delivered`;
      if (count > 0)
        findings.push(warning('webhooks', finding, `keyferry notifications deliveries ${name} --state dead`));
    }
    if (findings.length > 0) return findings;
    const looked = names.length > webhooksMax ? `the first ${webhooksMax} of ${names.length}` : `${names.length}`;
    return [passed('webhooks', `${looked} webhooks, without undelivered messages`)];
  } catch (error) {
    // A list without entries is not found.
    if (error instanceof CallFailure && error.status === 404) return [passed('webhooks', 'there are none')];
    return unanswered('webhooks', error);
  }
}
