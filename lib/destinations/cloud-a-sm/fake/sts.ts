import { randomBytes } from 'node:crypto';
import { type AccessKey, type Account, accountId, addKey } from './account.ts';
import { type Answer, element, query, Refused } from './answer.ts';

const sessionMsDefault = 3_600_000;

/** Answers an operation of STS. `caller` is the key that signed the request. */
export function sts(account: Account, caller: AccessKey, form: URLSearchParams): Answer {
  const operation = form.get('Action');
  if (operation === 'AssumeRole') return assumeRole(account, caller, form);
  if (operation === 'GetCallerIdentity') return identity(caller);
  throw new Refused('InvalidAction', `Could not find operation ${operation} for version ${form.get('Version')}`);
}

/** A role that does not exist gets the same refusal as one that does not trust the caller. */
function assumeRole(account: Account, caller: AccessKey, form: URLSearchParams): Answer {
  const wanted = form.get('RoleArn') ?? '';
  const session = form.get('RoleSessionName') ?? '';
  const role = account.roles.get(wanted);
  if (!/^[\w+=,.@-]{2,64}$/.test(session)) throw new Refused('ValidationError', 'RoleSessionName is not valid');
  if (role === undefined || role.externalId !== form.get('ExternalId')) {
    const text = `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${wanted}`;
    throw new Refused('AccessDenied', text, 403);
  }
  const lifeMs = Number(form.get('DurationSeconds') ?? 0) * 1000 || sessionMsDefault;
  const endsAt = new Date(account.now().getTime() + lifeMs);
  const sessionToken = randomBytes(96).toString('base64');
  const arn = `arn:aws:sts::${accountId}:assumed-role/${wanted.split('/').at(-1)}/${session}`;
  const { id, secret } = addKey(account, 'ASIA', { sessionToken, endsAt, arn });
  const credentials = [
    element('AccessKeyId', id),
    element('SecretAccessKey', secret),
    element('SessionToken', sessionToken),
    element('Expiration', endsAt.toISOString()),
  ];
  const user = element('Arn', arn) + element('AssumedRoleId', `AROA3XFRBF535:${session}`);
  return query(
    'AssumeRole',
    `<Credentials>${credentials.join('')}</Credentials><AssumedRoleUser>${user}</AssumedRoleUser>`,
  );
}

const identity = ({ arn }: AccessKey): Answer =>
  query('GetCallerIdentity', element('Arn', arn) + element('UserId', 'AIDA3XFRBF535') + element('Account', accountId));
