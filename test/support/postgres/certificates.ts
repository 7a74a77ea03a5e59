import { generate } from 'selfsigned';

const subject = (commonName: string) => [{ name: 'commonName', value: commonName }];

/** A certificate authority and the certificates that it signs. */
export async function newAuthority() {
  const own = await generate(subject('authority'), {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true },
    ],
  });
  const ca = { key: own.private, cert: own.cert };
  return {
    cert: own.cert,
    /** For a server with this host name or address. */
    forServer: async (name: { readonly host: string } | { readonly ip: string }) => {
      const altName = 'host' in name ? { type: 2 as const, value: name.host } : { type: 7 as const, ip: name.ip };
      const extensions = [{ name: 'subjectAltName' as const, altNames: [altName] }];
      const { cert, private: key } = await generate(subject('server'), { ca, extensions });
      return { cert, key };
    },
    forClient: async (user: string) => {
      const { cert, private: key } = await generate(subject(user), {
        ca,
        extensions: [{ name: 'extKeyUsage', clientAuth: true }],
      });
      return { cert, key };
    },
  };
}
