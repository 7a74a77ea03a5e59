const hex = /^(?:[0-9a-f]{2})+$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Decodes a key from hex or base64. Keys of this service have 32 or 33 bytes, whose hex and base64 forms never have the same length,
 * so a text that is valid hex is hex.
 */
export function decodeKey(text: string): Buffer | undefined {
  const given = text.trim();
  if (given === '') return undefined;
  if (hex.test(given)) return Buffer.from(given, 'hex');
  return base64.test(given) ? Buffer.from(given, 'base64') : undefined;
}
