import { endpointField, tlsCaCertField } from '#destinations/frame/fields/endpoint.ts';
import { form } from '#destinations/frame/fields/form.ts';
import { routing } from '#destinations/frame/fields/own.ts';
import { text } from '#path/fields.ts';

export const publicApi = 'https://shelf.example.com';

export const fields = {
  token: text()
    .refine((value) => value.trim() !== '', 'token must not be empty')
    .meta({ description: 'Token that may read and write items', ...form('Token', 'credentials'), sensitive: true }),
  endpoint: endpointField(publicApi).meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};
