import { type Eventual, mapMaybePromise } from '#core/concurrency/eventual.ts';
import { AppError, type ErrorKind } from '#core/errors.ts';
import { type Json, parseJson } from '#core/json/json.ts';
import { readJsonInSlices } from '#core/json/read-in-slices.ts';
import { WrittenJson } from '#core/json/write.ts';
import type { AuthReply, ReplyContent, WrapInfo } from '#path/contract/reply.ts';
import { ProblemError } from '#path/jsonapi/error.ts';
import type { AuditedOutcome, AuditedRequest } from '../contract.ts';
import { charactersAtOnce, hashedJson } from './hashed-json.ts';
import type { Marks } from './marks.ts';
import { clearKeys, mountMembers } from './request.ts';

/** The members `response` and `error` of the second line, as JSON text without braces. */
export function replyMembers(request: AuditedRequest, outcome: AuditedOutcome, marks: Marks): Eventual<string> {
  const error = 'error' in outcome ? errorText(request, outcome.error, marks) : undefined;
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
  const data = 'error' in outcome ? refusalData(outcome.error, marks) : dataOf(request, outcome, marks);
  return mapMaybePromise(data, (text) => {
    const response = text === undefined ? members : `{${inner}${inner === '' ? '' : ','}"data":${text}}`;
    return `"response":${response}${end}`;
  });
}

/** Kinds of errors whose texts may quote the request. */
const quoting: readonly ErrorKind[] = ['bad-request', 'already-exists', 'conflict'];

/** The text of a refusal, reduced to a general text if it may quote more of the request than its path. */
export function errorText(request: AuditedRequest, error: unknown, marks: Marks): string {
  if (error instanceof ProblemError) return error.problems.map(({ title }) => title).join('; ');
  if (!(error instanceof AppError)) return 'internal error';
  if (quoting.includes(error.kind)) return 'invalid request';
  return marks.aboutPath(error.messages.join('; '), request) || error.kind;
}

/** A text that may quote the request is recorded like data. */
function refusalData(error: unknown, marks: Marks): string | undefined {
  const details = detailsOf(error);
  return details === undefined ? undefined : JSON.stringify({ error: marks.text(details) });
}

/** Texts that may quote the request; undefined when there are none. */
function detailsOf(error: unknown): string | undefined {
  if (error instanceof AppError) return quoting.includes(error.kind) ? error.messages.join('; ') : undefined;
  if (!(error instanceof ProblemError)) return undefined;
  const details = error.problems.flatMap(({ detail }) => detail ?? []);
  return details.length === 0 ? undefined : details.join('; ');
}

const authMembers = (
  { client_token, accessor, mfa_requirement: required, ...others }: AuthReply,
  marks: Marks,
): object => ({
  client_token: marks.text(client_token),
  accessor: marks.accessor(accessor),
  ...others,
  mfa_requirement: required && { ...required, mfa_request_id: marks.text(required.mfa_request_id) },
});

const wrapMembers = ({ token, accessor, wrapped_accessor, ...others }: WrapInfo, marks: Marks): object => ({
  token: marks.text(token),
  accessor: marks.accessor(accessor),
  wrapped_accessor: wrapped_accessor === undefined ? undefined : marks.accessor(wrapped_accessor),
  ...others,
});

/** Undefined when the reply has no data. */
function dataOf(request: AuditedRequest, { reply, lists }: Answered, marks: Marks): Eventual<string | undefined> {
  if (reply === undefined) return undefined;
  const data = reply.text === undefined ? (reply.body ?? reply.data) : textData(reply.text, reply.status);
  if (data === undefined || data === null) return undefined;
  const clear = reply.text === undefined ? clearKeys(request.mount, 'audit_non_hmac_response_keys') : textKeys;
  const listed = lists ?? (request.operation === 'list' ? keyLists : []);
  const shown = marks.settings.elideLists && listed.length > 0 ? elided(data, listed) : data;
  const { hasher } = marks;
  return mapMaybePromise(reply.written === undefined ? null : readWritten(reply.written), (value) =>
    hashedJson(shown, { hasher, clear, read: (own) => (own === reply.written ? value : own) }),
  );
}

function readWritten({ pieces }: WrittenJson): Eventual<Json> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes > charactersAtOnce) return readJsonInSlices(pieces);
  return parseJson(Buffer.concat(pieces).toString());
}

const textKeys = ['http_content_type'];

/** A reply without an envelope, such as metrics or an unwrapped reply. */
const textData = ({ contentType, body }: NonNullable<ReplyContent['text']>, status = 200): object => ({
  http_content_type: contentType,
  http_status_code: status,
  http_raw_body: body,
});

type Answered = Extract<AuditedOutcome, { readonly reply: unknown }>;

const keyLists = ['keys', 'key_info'];

/** A listing with the number of its entries instead of the entries. */
const elided = (data: object, lists: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, lists.includes(name) ? counted(value, data) : value]),
  );

function counted(value: unknown, data: object): unknown {
  // A member that is already serialised holds the details of the keys.
  if (value instanceof WrittenJson) return counted(Reflect.get(data, 'keys'), data);
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : value;
}
