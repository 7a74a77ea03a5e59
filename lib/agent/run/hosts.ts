/** How the engine reaches the service. */
interface Service {
  /** Where the agent reaches it. */
  readonly address: string;
  /** The address by which its users know it; null if the service does not say. */
  readonly publicAddress: string | null;
  /** The token of the run. */
  readonly token: string;
}

const names = ['modules.v1', 'state.v2', 'tfe.v2', 'tfe.v2.1', 'tfe.v2.2'];

/**
 * The engine's configuration of hosts: both names of the service lead to where the agent reaches it, without discovery over TLS, and get the
 * token of the run.
 */
export function hostsText({ address, publicAddress, token }: Service): string {
  const base = new URL(address).origin;
  const pathOf = (name: string) => (name === 'modules.v1' ? '/api/registry/v1/modules/' : '/api/v2/');
  const services = names.map((name) => `    "${name}" = "${base}${pathOf(name)}"\n`).join('');
  const hosts = [...new Set([address, publicAddress ?? address].flatMap((one) => hostOf(one) ?? []))];
  return hosts
    .map(
      (host) =>
        `host "${host}" {\n  services = {\n${services}  }\n}\ncredentials "${host}" {\n  token = ${JSON.stringify(token)}\n}\n`,
    )
    .join('');
}

/** Labels that the engine takes; it refuses a file with any other, and those of other alphabets in their encoded form. */
const label = /^(?!..--)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** The name with the port, if that is not the one of HTTPS. Undefined for names that the engine refuses in this file. */
function hostOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, port, protocol } = new URL(address);
  if (!hostname.split('.').every((one) => label.test(one))) return undefined;
  const shown = port === '' && protocol === 'http:' ? '80' : port;
  return shown === '' ? hostname : `${hostname}:${shown}`;
}
