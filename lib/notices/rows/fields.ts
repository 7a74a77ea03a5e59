import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { badField, invalid } from '#core/errors.ts';
import type { Problem } from '#core/problem.ts';
import { problemOf } from '#core/problem.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { decideAddress, decidePort } from '#network/policy.ts';
import { webhookPolicy } from '#network/webhooks.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { bool, type Input, pathText, text, textList } from '#path/fields.ts';
import { definitionOf, typeIn } from '#sync/model/definition.ts';
import { eventKinds } from '../events/event.ts';
import type { NoticeParts } from './parts.ts';

const urlCharactersMax = 2_048;
const secretCharacters = { min: 16, max: 256 };
const patternsMax = 100;
const patternCharactersMax = 300;

export const name = { name: pathText('Name of the notification') };

export const notificationFields = {
  ...name,
  url: text(urlCharactersMax).optional().meta({ description: 'Address of the receiver, http or https' }),
  secret: text(secretCharacters.max)
    .optional()
    .meta({
      description: `Key that signs the messages, ${secretCharacters.min} to ${secretCharacters.max} characters. Without one, a new notification gets a random one, which the reply shows once`,
      sensitive: true,
    }),
  new_secret: bool().optional().meta({ description: 'Replace the key by a random one, which the reply shows once' }),
  kinds: textList()
    .nullable()
    .optional()
    .meta({ description: `Kinds of events to tell, of ${eventKinds.join(', ')}; empty for all` }),
  destinations: textList().nullable().optional().meta({
    description:
      'Destinations to tell about, as type/name; the type may be *, and the name may have * for any characters. Empty for all, and for events that concern no destination',
  }),
  disabled: bool().optional().meta({ description: 'Queue no further messages, and send none' }),
};

export type GivenNotification = Input<typeof notificationFields>;

export const newSecret = (): string => randomBytes(32).toString('base64url');

/** @throws AppError `bad-request` */
export function checkedUrl({ networkBounds }: Pick<NoticeParts, 'networkBounds'>, given: string): string {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw badField('url', 'url must be an http or https address, such as https://hooks.example.com/keyferry');
  const { username, password, hostname, port, protocol } = new URL(given);
  if (username !== '' || password !== '') throw badField('url', 'url must not hold a user or a password');
  const policy = webhookPolicy(networkBounds);
  const host = hostname.replace(/^\[|\]$/g, '');
  const refusal =
    decidePort(policy, Number(port) || (protocol === 'https:' ? 443 : 80)) ??
    (isIP(host) === 0 ? undefined : decideAddress(policy, host));
  if (refusal !== undefined) throw badField('url', `url: ${refusal.reason}`);
  return given;
}

/** @throws AppError `bad-request` */
export function checkedSecret(given: string): string {
  if (given.length >= secretCharacters.min) return given;
  throw badField('secret', `secret must have ${secretCharacters.min} to ${secretCharacters.max} characters`);
}

/** @throws AppError `bad-request` */
export function checkedKinds(given: readonly string[]): readonly string[] {
  const problems = given.flatMap((kind): readonly Problem[] =>
    eventKinds.some((known) => known === kind)
      ? []
      : [
          problemOf(
            'kinds',
            `unknown kind ${JSON.stringify(kind.slice(0, 100))}: it must be one of ${eventKinds.join(', ')}`,
          ),
        ],
  );
  if (problems.length > 0) throw invalid(problems.slice(0, 10));
  return [...new Set(given)];
}

/** The patterns with canonical types. @throws AppError `bad-request` */
export function checkedPatterns(
  definitions: readonly DestinationDefinition[],
  given: readonly string[],
  vocabulary: Vocabulary,
): readonly string[] {
  if (given.length > patternsMax)
    throw badField('destinations', `destinations may have at most ${patternsMax} entries`);
  const patterns = given.map((pattern) => {
    const [type = '', name = '', ...rest] = pattern.split('/');
    if (type === '' || name === '' || rest.length > 0 || pattern.length > patternCharactersMax)
      throw badField(
        'destinations',
        `${JSON.stringify(pattern.slice(0, 100))} must be type/name with at most ${patternCharactersMax} characters, such as */prod-*`,
      );
    const known = type === '*' ? type : definitionOf(definitions, type, vocabulary, 'destinations').type;
    return `${known}/${name}`;
  });
  return [...new Set(patterns)];
}

/** A stored pattern in the vocabulary of a reply. */
export function shownPattern(
  definitions: readonly DestinationDefinition[],
  pattern: string,
  vocabulary: Vocabulary,
): string {
  const [type = '', ...name] = pattern.split('/');
  const definition = definitions.find((one) => one.type === type);
  return definition === undefined ? pattern : [typeIn(definition, vocabulary), ...name].join('/');
}
