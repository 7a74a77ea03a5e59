import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';

/** Wrong codes that a user on a terminal may correct. */
const attemptsMax = 3;

/** The reply of a login. A pending login is completed with the codes that it demands. */
export async function validated(context: Context, reply: Value | undefined): Promise<Value | undefined> {
  const id = textOf(reply, 'auth', 'mfa_requirement', 'mfa_request_id');
  if (id === '') return reply;
  for (let attempt = 1; ; attempt += 1) {
    const mfa_payload = await askForCodes(context, memberOf(reply, 'auth', 'mfa_requirement', 'mfa_constraints'));
    try {
      const fields = { mfa_request_id: id, mfa_payload };
      return (await context.clientWith(undefined).call(system.validateCodes, {}, fields)).whole;
    } catch (error) {
      const mayRepeat = context.questions.canAsk && attempt < attemptsMax;
      if (!(error instanceof CallFailure && error.kind === 'refused' && mayRepeat)) throw error;
      context.say(error.message);
    }
  }
}

/** One code for each constraint, of the first method that satisfies it. */
async function askForCodes({ questions }: Context, constraints: Value | undefined): Promise<Value> {
  const payload: Record<string, readonly string[]> = {};
  for (const constraint of Object.values(isObject(constraints) ? constraints : {})) {
    const any = memberOf(constraint, 'any');
    const [method] = Array.isArray(any) ? (any as readonly Value[]) : [];
    const id = textOf(method, 'id');
    if (id === '' || payload[id] !== undefined) continue;
    payload[id] = [await questions.ask(`Code of ${textOf(method, 'name') || textOf(method, 'type')}: `)];
  }
  return payload;
}
