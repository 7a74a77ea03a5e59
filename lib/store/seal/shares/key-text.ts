const hex = /^(?:[0-9a-f]{2})+$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Reads a key that people or files hand over, as hex or base64. Keys of this service are 32 or 33 bytes, which are never as
 * long in hex as in base64, so what reads as hex is hex.
 */
export function decodeKey(text: string): Buffer | undefined {
  const given = text.trim();
  if (given === '') return undefined;
  if (hex.test(given)) return Buffer.from(given, 'hex');
  return base64.test(given) ? Buffer.from(given, 'base64') : undefined;
}
