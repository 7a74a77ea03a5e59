import { auth } from '#client/operations/auth.ts';
import { textOf } from '#client/wire/json.ts';
import { api } from '../../state/api.ts';
import { callbackPath, leave } from '../../state/returned.ts';

interface Asked {
  readonly mount: string;
  readonly namespace: string;
  readonly role: string;
}

const nonceBytes = 16;

/**
 * Sends the browser to the provider of a mount, which sends it back to the page with a code.
 *
 * @returns why it cannot, in words; nothing where the browser leaves
 * @throws CallFailure
 */
export async function goToProvider({ mount, namespace, role }: Asked): Promise<string | undefined> {
  const nonce = [...crypto.getRandomValues(new Uint8Array(nonceBytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  const redirect = `${location.origin}${callbackPath}`;
  const { data } = await api.call(
    auth.beginOidc,
    { mount },
    { redirect_uri: redirect, client_nonce: nonce, ...(role === '' ? {} : { role }) },
    { namespace },
  );
  if (textOf(data, 'state') !== '') return 'This role is for logins by device. Use another role, or the command line.';
  const url = URL.parse(textOf(data, 'auth_url'));
  if (url === null)
    return `The role does not allow this page. Its allowed_redirect_uris must have ${redirect}, and its role_type must be oidc.`;
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'The provider has no address that a browser can open.';
  const back = `${location.pathname}${location.search}`;
  leave({ mount, namespace, state: url.searchParams.get('state') ?? '', nonce, back });
  location.assign(url.href);
  return undefined;
}
