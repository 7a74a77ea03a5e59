import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, textList } from '#path/fields.ts';
import { storedSetting } from '#store/settings.ts';
import type { Store } from '#store/store.ts';

/** The web pages whose scripts may read replies. */
export interface CorsSettings {
  /** Origins such as `https://example.com`, or only `*` for all origins. */
  readonly origins: readonly string[];
  /** Request headers that such a page may send in addition to the default ones. */
  readonly headers: readonly string[];
}

const setting = storedSetting<CorsSettings>(
  'cors',
  z.object({ origins: z.array(z.string()), headers: z.array(z.string()) }),
);

/** All allowed origins and headers; undefined when cross-origin requests are disabled. */
export async function readCors({ db }: Store): Promise<CorsSettings | undefined> {
  const cors = await setting.read(db);
  return cors && { origins: cors.origins, headers: [...defaultHeaders, ...cors.headers] };
}

/** The headers that clients of both vocabularies send. */
export const defaultHeaders = [
  'Content-Type',
  'X-Requested-With',
  'Authorization',
  ...['Token', 'Namespace', 'Request', 'Wrap-TTL', 'MFA'].flatMap((name) => [`X-Service-${name}`, `X-Vault-${name}`]),
  'X-Vault-No-Request-Forwarding',
  'X-Vault-Wrap-Format',
  'X-Vault-Policy-Override',
] as const;

const fields = {
  enable: bool().optional().meta({ description: 'false removes the configuration' }),
  allowed_origins: textList()
    .optional()
    .meta({ description: 'Origins such as https://example.com, or only * for all origins' }),
  allowed_headers: textList()
    .optional()
    .meta({ description: 'Request headers that pages may send in addition to the default ones' }),
};

/** `sys/config/cors`. */
export function corsRow({ db }: Pick<Store, 'db'>): Row {
  return {
    pattern: 'config/cors',
    help: 'Sets the origins whose pages may use the API from a browser. Requests from other origins are refused.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the allowed origins',
          rootNamespaceOnly: true,
          sudo: true,
          run: async () => ({ data: shown(await setting.read(db)), flat: true }),
        },
      ),
      write: operation(fields, {
        summary: 'Set the allowed origins',
        rootNamespaceOnly: true,
        sudo: true,
        async run({ enable = true, allowed_origins: origins = [], allowed_headers: headers = [] }) {
          if (enable) await setting.write(db, { origins: validOrigins(origins), headers: headers.map(headerName) });
          else await setting.remove(db);
          return undefined;
        },
      }),
      delete: operation(
        {},
        {
          summary: 'Remove all allowed origins',
          rootNamespaceOnly: true,
          sudo: true,
          async run() {
            await setting.remove(db);
            return undefined;
          },
        },
      ),
    },
  };
}

const shown = (cors: CorsSettings | undefined): object =>
  cors === undefined
    ? { enabled: false }
    : { enabled: true, allowed_origins: cors.origins, allowed_headers: [...defaultHeaders, ...cors.headers] };

function validOrigins(origins: readonly string[]): readonly string[] {
  if (origins.length === 0) throw badField('allowed_origins', 'at least one origin or the wildcard must be provided');
  if (origins.includes('*') && origins.length > 1)
    throw badField('allowed_origins', "to allow all origins the '*' must be the only value for allowed_origins");
  const wrong = origins.find((origin) => origin !== '*' && !isOrigin(origin));
  if (wrong === undefined) return origins;
  throw badField(
    'allowed_origins',
    `${JSON.stringify(wrong)} is not an origin: use the form https://example.com or https://example.com:8443`,
  );
}

/** Browsers send origins in lower case and without a path; they are compared byte by byte. */
const isOrigin = (text: string): boolean => URL.canParse(text) && /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/.test(text);

function headerName(name: string): string {
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return name;
  throw badField('allowed_headers', `${JSON.stringify(name)} is not a header name`);
}
