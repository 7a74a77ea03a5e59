import { z } from 'zod';
import { isMailAddress } from '#core/settings/smtp.ts';
import { sizeRule } from '#path/fields.ts';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, notBlank, oneOf, text, texts } from '#path/jsonapi/fields.ts';

/** All supported triggers. Others are rejected, since this service would never fire them. */
export const triggers = [
  'run:created',
  'run:planning',
  'run:needs_attention',
  'run:applying',
  'run:completed',
  'run:errored',
  'assessment:drifted',
  'assessment:check_failure',
  'assessment:failed',
  'workspace:auto_destroy_reminder',
  'workspace:auto_destroy_run_results',
] as const;

/** An event of a run or a workspace that a configuration can subscribe to. */
export type Trigger = (typeof triggers)[number];

const destinations = ['email', 'generic', 'slack', 'microsoft-teams'] as const;

/** Limit for the addresses and users of one configuration together. */
export const recipientsMax = 50;

/** Attributes of a notification configuration in a request. */
export const notificationFields = {
  name: text(255).min(1, notBlank),
  'destination-type': oneOf(destinations),
  enabled: flag().nullable(),
  url: text(2_048).nullable(),
  token: z.string('must be a string').max(4_096, sizeRule('is too long (maximum is 4096 characters)')).nullable(),
  'email-addresses': texts(recipientsMax, 254).nullable(),
  triggers: z
    .array(oneOf(triggers), 'must be a list')
    .max(triggers.length, sizeRule(`may have at most ${triggers.length} entries`))
    .nullable(),
};

/** The settings that are stored unencrypted. */
export type NotificationSettings = z.infer<typeof notificationSettings>;

export const notificationSettings = z
  .strictObject({
    name: z.string(),
    'destination-type': z.enum(destinations),
    enabled: z.boolean(),
    /** Null for the type `email`. */
    url: z.string().nullable(),
    triggers: z.array(z.enum(triggers)).readonly(),
    /** For the type `email`, beside the users. */
    'email-addresses': z.array(z.string()).readonly().exactOptional(),
  })
  .readonly();

export type NotificationChange = {
  readonly [K in keyof typeof notificationFields]?: z.output<(typeof notificationFields)[K]>;
};

/** The settings after a request: attributes that were not sent keep their values. @throws ApiError 422 */
export function settingsOf(sent: NotificationChange, before?: NotificationSettings): NotificationSettings {
  const name = sent.name ?? before?.name;
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const type = sent['destination-type'] ?? before?.['destination-type'];
  if (type === undefined) throw invalidAttribute('destination-type', "Destination type can't be blank");
  return {
    name,
    'destination-type': type,
    enabled: sent.enabled ?? before?.enabled ?? false,
    ...(type === 'email' ? mailbox(sent, before) : { url: webhook(sent, before) }),
    triggers: [...new Set(sent.triggers ?? before?.triggers ?? [])],
  };
}

/** Settings of the type `email`. */
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
