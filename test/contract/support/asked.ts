import type { Asked } from './between.ts';

/** Whether a call to any of the systems changes something. */
export function isWrite({ method, headers }: Asked): boolean {
  const operation = String(headers['x-amz-target'] ?? '');
  return operation === '' ? !['GET', 'HEAD'].includes(method) : !operation.endsWith('DescribeSecret');
}

/** Whether a call has credentials and is not part of a login. */
export const isCall = ({ path, headers, body }: Asked): boolean =>
  headers.authorization !== undefined && !/oauth2|access_tokens|openid/.test(path) && !body.includes('AssumeRole');
