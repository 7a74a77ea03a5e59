import { auth } from '../operations/auth.ts';
import { system } from '../operations/system.ts';
import { isObject, memberOf, textOf, textsOf } from '../wire/json.ts';
import { type Finding, failed, passed, unanswered, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** A token that ends sooner may end in the middle of the work. In seconds. */
const ttlMin = 3_600;

/** Whether the token is valid, for how long, and whether it is a root token. */
export async function tokenFindings({ look, hasToken }: Installation): Promise<readonly Finding[]> {
  if (!hasToken) return [failed('token', 'there is none', 'keyferry login')];
  try {
    const data = await look(auth.lookupSelf);
    const ttl = Number(textOf(data, 'ttl'));
    const ends = textOf(data, 'expire_time') !== '';
    const remedy = memberOf(data, 'renewable') === true ? 'keyferry tokens renew' : 'keyferry login';
    const policies = textsOf(data, 'policies');
    return [
      ends && ttl < ttlMin
        ? warning('token', `ends in ${Math.floor(ttl / 60)} min`, remedy)
        : passed('token', `has the policies ${policies.join(', ')}`),
      ...(policies.includes('root') && !ends
        ? [warning('root token', 'it never ends and may do everything', 'keyferry login with a narrower token')]
        : []),
    ];
  } catch (error) {
    return unanswered('token', error);
  }
}

/** Whether requests are recorded. */
export async function auditFindings({ look }: Installation): Promise<readonly Finding[]> {
  try {
    const data = await look(system.listAudit);
    const paths = Object.keys(isObject(data) ? data : {});
    if (paths.length > 0) return [passed('audit', `recorded by ${paths.join(', ')}`)];
    return [warning('audit', 'no device records the requests', 'keyferry audit enable --help')];
  } catch (error) {
    return unanswered('audit', error);
  }
}
