import { sync } from '../operations/sync.ts';
import { CallFailure } from '../wire/failure.ts';
import { isObject, memberOf, textOf } from '../wire/json.ts';
import { type Finding, firstOf, passed, unanswered, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Whether standing rules do their work. A rule is suspended when its owner lost a right, or its mount is gone. */
export async function ruleFindings({ look }: Installation): Promise<readonly Finding[]> {
  try {
    const byName = memberOf(await look(sync.listRules), 'key_info');
    const rules = Object.entries(isObject(byName) ? byName : {});
    const suspended = rules.filter(([, rule]) => textOf(rule, 'state') === 'suspended');
    if (suspended.length === 0) return [passed('rules', `${rules.length} rules, none suspended`)];
    const findings = suspended.map(([name, rule]) => {
      const reason = textOf(rule, 'reason');
      const finding = `${name} is suspended${reason === '' ? '' : `: ${reason}`}`;
      return warning('rules', finding, `keyferry rules get ${name}`);
    });
    return firstOf(findings, (others) => warning('rules', `${others} more are suspended`, 'keyferry rules list'));
  } catch (error) {
    // A list without entries is not found.
    if (error instanceof CallFailure && error.status === 404) return [passed('rules', 'there are none')];
    return unanswered('rules', error);
  }
}
