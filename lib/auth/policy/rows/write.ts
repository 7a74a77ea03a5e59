import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { pathText, text } from '#path/fields.ts';
import { textLengthMax } from '../../hcl/parse.ts';
import type { TextStore } from '../store/texts.ts';

export const nameField = { name: pathText('Name of the policy, in lower case') };
export const policyText = () =>
  text(textLengthMax).optional().meta({ description: 'The policy in HCL or JSON, as plain text or base64' });

/** Bound of a name. An index entry of PostgreSQL holds about 2,700 bytes. */
const nameBytesMax = 512;

/** The name in lower case, in which names are stored. A write warns about other names. */
export function storedName(given: string, context?: Pick<RequestContext, 'warn'>): string {
  const name = given.toLowerCase();
  if (Buffer.byteLength(name) > nameBytesMax) throw badField('name', `the name is longer than ${nameBytesMax} bytes`);
  if (name !== given) context?.warn(`the name of the policy was converted to lower case: ${name}`);
  return name;
}

/** Writes the text of a policy. @throws AppError `bad-request` when the text is missing or invalid */
export async function writeText(
  texts: TextStore,
  input: { readonly name: string; readonly policy?: string | undefined },
  context: RequestContext,
): Promise<Reply> {
  const text = plainText(input.policy);
  for (const warning of await texts.write(storedName(input.name, context), text)) context.warn(warning);
  return undefined;
}

/** The text of a policy that a client sent. @throws AppError `bad-request` when it is missing or cannot be stored */
export function plainText(policy: string | undefined): string {
  if (!policy) throw badField('policy', "'policy' parameter not supplied or empty");
  const text = decoded(policy);
  if (text.includes('\0')) throw badField('policy', 'the policy contains the character U+0000, which cannot be stored');
  return text;
}

/** Decodes a text that is entirely base64, which no policy in HCL or JSON can be. */
function decoded(given: string): string {
  const text = given.replace(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return given;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
  } catch (cause) {
    throw badField('policy', 'the policy is base64 of something that is not UTF-8', { cause });
  }
}
