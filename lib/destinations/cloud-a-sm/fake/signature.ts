import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type AccessKey, type Account, region } from './account.ts';
import { Refused } from './answer.ts';

export interface Signed {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const skewMsMax = 5 * 60_000;

/**
 * Checks a request as the provider does: the key is known, scope and time are valid, and the signature matches the request.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function authenticate(account: Account, signed: Signed, service: 'secretsmanager' | 'sts'): AccessKey {
  const parts = parse(signed.headers['authorization'] ?? '');
  const unknown = service === 'sts' ? 'InvalidClientTokenId' : 'UnrecognizedClientException';
  const refused = new Refused(
    unknown,
    'The security token included in the request is invalid.',
    service === 'sts' ? 403 : 400,
  );
  const key = account.keys.get(parts.keyId);
  if (key === undefined || key.sessionToken !== signed.headers['x-amz-security-token']) throw refused;
  if (key.endsAt !== undefined && key.endsAt <= account.now()) {
    throw new Refused('ExpiredTokenException', 'The security token included in the request is expired');
  }
  checkScope(account, parts.scope, service, signed.headers['x-amz-date'] ?? '');
  const expected = signature(key.secret, parts, signed);
  const given = Buffer.from(parts.signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const code = service === 'sts' ? 'SignatureDoesNotMatch' : 'InvalidSignatureException';
    const said = 'The request signature we calculated does not match the signature you provided.';
    throw new Refused(code, said, service === 'sts' ? 403 : 400);
  }
  return key;
}

interface Parts {
  readonly keyId: string;
  /** date/region/service/aws4_request */
  readonly scope: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

function parse(authorization: string): Parts {
  const form = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/;
  const [, keyId, scope, headers, given] = form.exec(authorization) ?? [];
  if (keyId === undefined || scope === undefined || headers === undefined || given === undefined) {
    throw new Refused('MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  return { keyId, scope: scope.split('/'), signedHeaders: headers.split(';'), signature: given };
}

function checkScope(account: Account, scope: readonly string[], service: string, date: string): void {
  if (scope[1] !== region) {
    throw new Refused('InvalidSignatureException', `Credential should be scoped to a valid region, not '${scope[1]}'.`);
  }
  if (scope[2] !== service) {
    throw new Refused('InvalidSignatureException', `Credential should be scoped to correct service: '${service}'.`);
  }
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(at) || Math.abs(at - account.now().getTime()) > skewMsMax) {
    throw new Refused('InvalidSignatureException', `Signature expired: ${date} is now earlier than the window allows`);
  }
}

function signature(secret: string, { scope, signedHeaders }: Parts, { method, target, headers, body }: Signed): Buffer {
  const [path = '/', search = ''] = target.split('?', 2);
  const lines = signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`).join('');
  const request = [method, path, search, lines, signedHeaders.join(';'), sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope.join('/'), sha256(request)].join('\n');
  const key = scope.reduce((before: string | Buffer, part) => hmac(before, part), `AWS4${secret}`);
  return Buffer.from(hmac(key, text).toString('hex'));
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
