import { generate } from 'selfsigned';

/** A self-signed certificate for these names. */
export async function selfSigned(
  names: readonly string[] = ['localhost'],
): Promise<{ readonly cert: string; readonly key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value }) as const) },
    ],
  });
  return { cert, key };
}
