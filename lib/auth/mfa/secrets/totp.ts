import { Secret as OtpSecret, TOTP } from 'otpauth';
import { toBuffer } from 'qrcode';
import type { TotpSettings } from '../methods/settings.ts';

/** Settings that determine the codes of a secret. */
export type CodeSettings = Pick<TotpSettings, 'period' | 'algorithm' | 'digits' | 'skew'>;

/**
 * The TOTP time step of a code at a time in seconds since 1970. Undefined for an incorrect code. Comparisons take constant time.
 */
export function stepOfCode(key: Buffer, settings: CodeSettings, code: string, now: number): number | undefined {
  const { period, algorithm, digits, skew } = settings;
  if (!/^\d+$/.test(code)) return undefined;
  const totp = new TOTP({ secret: secretOf(key), algorithm, digits, period });
  const timestamp = now * 1_000;
  const delta = totp.validate({ token: code, timestamp, window: skew });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

/** The `otpauth` URL for an authenticator, with the parameters in the order of the API family. */
export function urlOf(key: Buffer, { issuer, period, algorithm, digits }: TotpSettings, account: string): string {
  const shown = encodeURIComponent(issuer);
  const secret = secretOf(key).base32;
  const query = `algorithm=${algorithm}&digits=${digits}&issuer=${shown}&period=${period}&secret=${secret}`;
  return `otpauth://totp/${shown}:${encodeURIComponent(account)}?${query}`;
}

/** A PNG in base64; empty for 0 pixels. */
export async function barcodeOf(url: string, pixels: number): Promise<string> {
  if (pixels === 0) return '';
  return (await toBuffer(url, { type: 'png', width: pixels })).toString('base64');
}

const secretOf = (key: Buffer): OtpSecret => new OtpSecret({ buffer: new Uint8Array(key).buffer });
