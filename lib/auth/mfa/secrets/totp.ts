import { Secret as OtpSecret, TOTP } from 'otpauth';
import { toBuffer } from 'qrcode';
import type { TotpSettings } from '../methods/settings.ts';

/** How the codes of a secret are made. */
export type CodeSettings = Pick<TotpSettings, 'period' | 'algorithm' | 'digits' | 'skew'>;

/**
 * The step of time that a code is of, at a moment in seconds since 1970; undefined: the code is wrong. All comparisons are
 * made in constant time.
 */
export function stepOfCode(key: Buffer, settings: CodeSettings, code: string, now: number): number | undefined {
  const { period, algorithm, digits, skew } = settings;
  if (!/^\d+$/.test(code)) return undefined;
  const totp = new TOTP({ secret: secretOf(key), algorithm, digits, period });
  const timestamp = now * 1_000;
  const delta = totp.validate({ token: code, timestamp, window: skew });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

/** The address that an authenticator reads, with its parameters in the order of the API family. */
export function urlOf(key: Buffer, { issuer, period, algorithm, digits }: TotpSettings, account: string): string {
  const shown = encodeURIComponent(issuer);
  const secret = secretOf(key).base32;
  const query = `algorithm=${algorithm}&digits=${digits}&issuer=${shown}&period=${period}&secret=${secret}`;
  return `otpauth://totp/${shown}:${encodeURIComponent(account)}?${query}`;
}

/** A PNG in base64; empty for a side of no pixels. */
export async function barcodeOf(url: string, pixels: number): Promise<string> {
  if (pixels === 0) return '';
  return (await toBuffer(url, { type: 'png', width: pixels })).toString('base64');
}

const secretOf = (key: Buffer): OtpSecret => new OtpSecret({ buffer: new Uint8Array(key).buffer });
