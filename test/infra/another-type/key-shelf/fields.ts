import { endpointField, tlsCaCertField } from '../../../../lib/destinations/frame/fields/endpoint.ts';
import { routing } from '../../../../lib/destinations/frame/fields/own.ts';
import { text } from '../../../../lib/path/fields.ts';

export const publicApi = 'https://shelf.example.com';

export const fields = {
  token: text()
    .refine((value) => value.trim() !== '', 'token must not be empty')
    .meta({ description: 'Token that may read and write items', sensitive: true }),
  endpoint: endpointField(publicApi).meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};
