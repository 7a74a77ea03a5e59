import type { Asked } from './between.ts';

/** A call that changes something, of any of the systems. */
export function isWrite({ method, headers }: Asked): boolean {
  const operation = String(headers['x-amz-target'] ?? '');
  return operation === '' ? !['GET', 'HEAD'].includes(method) : !operation.endsWith('DescribeSecret');
}

/** A call with credentials, and none of a login. */
export const isCall = ({ path, headers, body }: Asked): boolean =>
  headers.authorization !== undefined && !/oauth2|access_tokens|openid/.test(path) && !body.includes('AssumeRole');
