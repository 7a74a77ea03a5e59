import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Button } from '#ui/parts/button.tsx';
import { reasonOf } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { useRights } from '#ui/state/rights.ts';
import { accessUrl } from '../address.ts';
import { destroySecret } from './enrol.tsx';

const path = 'identity/mfa/method/totp/admin-destroy';

/** The methods in which an entity is enrolled. Ending an enrolment lets it enrol again, such as with a new phone. */
export function SecondFactors({ entity, id }: { readonly entity: Value; readonly id: string }) {
  const rights = useRights([path]);
  const secrets = memberOf(entity, 'mfa_secrets');
  const enrolled = isObject(secrets) ? Object.entries(secrets) : [];
  if (enrolled.length === 0) return <>none</>;
  return (
    <>
      {enrolled.map(([method, secret]) => (
        <div key={method} class="what">
          <a class="wrap" href={accessUrl('mfa', { key: method })}>
            {textOf(secret, 'method_name') || method}
          </a>
          <Button
            small
            refusal={rights.refusal('update', path)}
            onPress={() =>
              destroySecret(method, id).catch((cause: unknown) => say('fail', reasonOf(cause, 'It failed.')))
            }
          >
            End the enrolment
          </Button>
        </div>
      ))}
    </>
  );
}
