import { z } from 'zod';
import { isMailAddress } from '../../../core/smtp.ts';
import { invalidAttribute } from '../../../path/jsonapi/error.ts';
import { flag, oneOf, text, texts } from '../../../path/jsonapi/fields.ts';

/** All that there is: a trigger that this service never fires is refused, so that no receiver waits for it in vain. */
export const triggers = [
  'run:created',
  'run:planning',
  'run:needs_attention',
  'run:applying',
  'run:completed',
  'run:errored',
] as const;

/** What happens to a run, of which a configuration may want to be told. */
export type Trigger = (typeof triggers)[number];

const destinations = ['email', 'generic', 'slack', 'microsoft-teams'] as const;

/** Addresses and users of one configuration. */
export const recipientsMax = 50;

/** What a client sends of a notification configuration. */
export const notificationFields = {
  name: text(255).min(1, "can't be blank"),
  'destination-type': oneOf(destinations),
  enabled: flag().nullable(),
  url: text(2_048).nullable(),
  token: z.string('must be a string').max(4_096, 'is too long (maximum is 4096 characters)').nullable(),
  'email-addresses': texts(recipientsMax, 254).nullable(),
  triggers: z.array(oneOf(triggers), 'must be a list').max(triggers.length).nullable(),
};

/** What is stored in the clear. */
export interface NotificationSettings {
  readonly name: string;
  readonly 'destination-type': (typeof destinations)[number];
  readonly enabled: boolean;
  /** Null of `email`. */
  readonly url: string | null;
  readonly triggers: readonly Trigger[];
  /** Of `email`, beside the users. Absent: none. */
  readonly 'email-addresses'?: readonly string[];
}

export type NotificationChange = {
  readonly [K in keyof typeof notificationFields]?: z.output<(typeof notificationFields)[K]>;
};

/** What was sent upon what there is. @throws ApiError 422 */
export function settingsOf(sent: NotificationChange, before?: NotificationSettings): NotificationSettings {
  const name = sent.name ?? before?.name;
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const type = sent['destination-type'] ?? before?.['destination-type'];
  if (type === undefined) throw invalidAttribute('destination-type', "Destination type can't be blank");
  return {
    ...{ name, 'destination-type': type, enabled: sent.enabled ?? before?.enabled ?? false },
    ...(type === 'email' ? mailbox(sent, before) : { url: webhook(sent, before) }),
    triggers: [...new Set(sent.triggers ?? before?.triggers ?? [])],
  };
}

/** Where messages of type `email` go. */
function mailbox(sent: NotificationChange, before: NotificationSettings | undefined) {
  for (const name of ['url', 'token'] as const)
    if (sent[name]) throw invalidAttribute(name, `${name === 'url' ? 'Url' : 'Token'} must be blank for email`);
  const addresses = [...new Set(sent['email-addresses'] ?? before?.['email-addresses'] ?? [])];
  if (!addresses.every(isMailAddress))
    throw invalidAttribute('email-addresses', 'Email addresses has an entry that is not an email address');
  return { url: null, 'email-addresses': addresses };
}

function webhook(sent: NotificationChange, before: NotificationSettings | undefined): string {
  if (sent['email-addresses']?.length) throw invalidAttribute('email-addresses', 'Email addresses are for email only');
  const url = sent.url ?? before?.url;
  if (url === undefined || url === null || url === '') throw invalidAttribute('url', "Url can't be blank");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw invalidAttribute('url', 'Url must be an http or https address');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw invalidAttribute('url', 'Url must not hold a user or a password');
  return url;
}
