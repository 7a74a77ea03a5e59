import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { bool, type Input, jsonObject, objectOfText, text, textList } from '#path/fields.ts';

const providerConfig = z
  .preprocess(objectOfText, jsonObject())
  .refine((given) => Object.keys(given).length === 0, 'settings for one provider are not supported: leave it empty')
  .optional()
  .meta({ description: 'Settings for one provider; not supported, so only an empty object is accepted' });

/** The part of the configuration for logins by browser. */
export const browserFields = {
  oidc_client_id: text(512).default('').meta({ description: 'Client id at the provider, for logins by browser' }),
  oidc_client_secret: text(4_096).default('').meta({ description: 'Client secret at the provider', sensitive: true }),
  oidc_response_mode: text(64).default('').meta({ description: '"query" (default) or "form_post"' }),
  oidc_response_types: textList()
    .default([])
    .meta({ description: '"code" (default), or "id_token" with the response mode form_post' }),
  namespace_in_state: bool().optional().meta({
    description:
      'Move the namespace of a redirect URI to the state; default: true for a new configuration, otherwise kept',
  }),
};

/** Fields of a write that are not stored. */
export const unstoredFields = { provider_config: providerConfig };

export type BrowserSettings = Input<typeof browserFields>;
type Checked = BrowserSettings & { readonly oidc_discovery_url: string };

const responseTypes = ['code', 'id_token'];

/** @throws AppError `bad-request` */
export function checkBrowserSettings(config: Checked): void {
  const { oidc_client_id: id, oidc_client_secret: secret, oidc_response_mode: mode } = config;
  if ((id === '') !== (secret === ''))
    throw badField(
      ['oidc_client_id', 'oidc_client_secret'],
      "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC",
    );
  if (id !== '' && config.oidc_discovery_url === '')
    throw badField('oidc_discovery_url', "'oidc_discovery_url' must be set for OIDC");
  if (config.oidc_response_types.some((type) => !responseTypes.includes(type)))
    throw badField('oidc_response_types', "invalid 'oidc_response_types': 'code' and 'id_token' are allowed");
  if (mode !== '' && mode !== 'query' && mode !== 'form_post')
    throw badField('oidc_response_mode', `invalid 'oidc_response_mode': ${JSON.stringify(mode)}`);
  if (mode !== 'form_post' && config.oidc_response_types.includes('id_token'))
    throw badField(
      ['oidc_response_mode', 'oidc_response_types'],
      'query response_mode may not be used with an id_token response_type',
    );
}

/** Whether the mount can send users to a provider. */
export const isForBrowsers = ({ oidc_client_id: id }: Pick<BrowserSettings, 'oidc_client_id'>): boolean => id !== '';

/** What a provider sends back: with both types configured, a code. */
export const expectsCode = ({ oidc_response_types: types }: Pick<BrowserSettings, 'oidc_response_types'>): boolean =>
  types.length === 0 || types.includes('code');
