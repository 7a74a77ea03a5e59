import { after, type Eventual } from '../../core/concurrency/eventual.ts';
import { AppError, type ErrorKind } from '../../core/errors.ts';
import { readJsonInSlices } from '../../core/json/read-in-slices.ts';
import type { WrittenJson } from '../../core/json/written.ts';
import { type Json, parseJson } from '../../core/json.ts';
import type { AuthReply, ReplyContent, WrapInfo } from '../../path/contract/reply.ts';
import type { AuditedOutcome, AuditedRequest } from '../contract.ts';
import { charactersAtOnce, hashedJson } from './hashed-json.ts';
import type { Marks } from './marks.ts';
import { clearKeys, mountMembers } from './request.ts';

/** The members `response` and `error` of the second line, as JSON text without braces. */
export function replyMembers(request: AuditedRequest, outcome: AuditedOutcome, marks: Marks): Eventual<string> {
  const error = 'error' in outcome ? errorText(outcome.error) : undefined;
  const reply = 'error' in outcome ? undefined : outcome.reply;
  const warnings = 'error' in outcome ? [] : outcome.warnings;
  const members = JSON.stringify({
    ...mountMembers(request.mount),
    auth: reply?.auth && authMembers(reply.auth, marks),
    wrap_info: reply?.wrapInfo && wrapMembers(reply.wrapInfo, marks),
    warnings: warnings.length > 0 ? warnings : undefined,
  });
  const end = error === undefined ? '' : `,"error":${JSON.stringify(error)}`;
  const inner = members.slice(1, -1);
  const data = 'error' in outcome ? refusalData(outcome.error, marks) : dataOf(request, outcome.reply, marks);
  return after(data, (text) => {
    const response = text === undefined ? members : `{${inner}${inner === '' ? '' : ','}"data":${text}}`;
    return `"response":${response}${end}`;
  });
}

/** Texts about what was sent may quote it. */
const quoting: readonly ErrorKind[] = ['bad-request', 'already-exists'];

/** The text of a refusal where it cannot hold anything that was sent beside the path. */
export function errorText(error: unknown): string {
  if (!(error instanceof AppError)) return 'internal error';
  return quoting.includes(error.kind) ? 'invalid request' : error.messages.join('; ') || error.kind;
}

/** Texts that quote are data. */
const refusalData = (error: unknown, marks: Marks): string | undefined =>
  error instanceof AppError && quoting.includes(error.kind)
    ? JSON.stringify({ error: marks.text(error.messages.join('; ')) })
    : undefined;

const authMembers = ({ client_token, accessor, ...others }: AuthReply, marks: Marks): object => ({
  client_token: marks.text(client_token),
  accessor: marks.accessor(accessor),
  ...others,
});

const wrapMembers = ({ token, accessor, wrapped_accessor, ...others }: WrapInfo, marks: Marks): object => ({
  token: marks.text(token),
  accessor: marks.accessor(accessor),
  wrapped_accessor: wrapped_accessor === undefined ? undefined : marks.accessor(wrapped_accessor),
  ...others,
});

/** Undefined: the reply has none. */
function dataOf(request: AuditedRequest, reply: ReplyContent | undefined, marks: Marks): Eventual<string | undefined> {
  if (reply === undefined) return undefined;
  const data = reply.text === undefined ? (reply.body ?? reply.data) : textData(reply.text, reply.status);
  if (data === undefined || data === null) return undefined;
  const clear = reply.text === undefined ? clearKeys(request.mount, 'audit_non_hmac_response_keys') : textKeys;
  const shown = request.operation === 'list' && marks.settings.elideLists ? elided(data) : data;
  const { hasher } = marks;
  return after(reply.written === undefined ? null : readWritten(reply.written), (value) =>
    hashedJson(shown, { hasher, clear, read: (own) => (own === reply.written ? value : own) }),
  );
}

function readWritten({ pieces }: WrittenJson): Eventual<Json> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes > charactersAtOnce) return readJsonInSlices(pieces);
  return parseJson(Buffer.concat(pieces).toString());
}

const textKeys = ['http_content_type'];

/** A reply that is no envelope, such as metrics or what was wrapped. */
const textData = ({ contentType, body }: NonNullable<ReplyContent['text']>, status = 200): object => ({
  http_content_type: contentType,
  http_status_code: status,
  http_raw_body: body,
});

/** A listing with the numbers of its entries in place of them. */
function elided(data: object): object {
  const { keys, key_info: info, ...others }: { keys?: unknown; key_info?: unknown } = { ...data };
  return {
    ...others,
    ...(Array.isArray(keys) ? { keys: keys.length } : {}),
    ...(typeof info === 'object' && info !== null ? { key_info: Object.keys(info).length } : {}),
  };
}
