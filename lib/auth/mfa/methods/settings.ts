import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { duration, type Input, integer, text } from '#path/fields.ts';

const algorithms = ['SHA1', 'SHA256', 'SHA512'] as const;

/** How the codes of a method are generated and checked. */
export type TotpSettings = Readonly<z.infer<typeof totpSettings>>;

export const totpSettings = z.strictObject({
  issuer: z.string(),
  /** Seconds that a code is valid for. */
  period: z.int(),
  /** Length of a new secret in bytes. */
  key_size: z.int(),
  /** Side of the barcode in pixels; 0 for no barcode. */
  qr_size: z.int(),
  algorithm: z.enum(algorithms),
  digits: z.int(),
  /** Number of periods before and after the present one whose codes are also accepted. */
  skew: z.int(),
  /** Attempts of one entity in one period. */
  max_validation_attempts: z.int(),
});

/** Bounds that keep a barcode readable, a number within its column, and a check cheap. */
const most = {
  issuer: 128,
  issuerEscaped: 512,
  period: 86_400,
  key_size: 128,
  qr_size: 1_000,
  max_validation_attempts: 1_000,
};

export const settingFields = {
  issuer: text(most.issuer).default('').meta({ description: 'Name of the service, as the authenticator shows it' }),
  period: duration().default(30).meta({ description: 'How long a code is valid' }),
  key_size: integer().default(20).meta({ description: 'Length of new secrets in bytes' }),
  qr_size: integer().default(200).meta({ description: 'Side of the barcode in pixels; 0 for no barcode' }),
  algorithm: text(16).default('SHA1').meta({ description: 'SHA1, SHA256 or SHA512' }),
  digits: integer().default(6).meta({ description: 'Digits of a code: 6 or 8' }),
  skew: integer()
    .default(1)
    .meta({ description: 'Number of periods around the present one whose codes are also accepted: 0 or 1' }),
  max_validation_attempts: integer()
    .default(5)
    .meta({ description: 'Maximum number of attempts of an entity in one period' }),
};

/** @throws AppError `bad-request` that names the first invalid setting */
export function settingsOf(given: Input<typeof settingFields>): TotpSettings {
  const { issuer, period, key_size, qr_size, digits, skew, max_validation_attempts } = given;
  const algorithm = algorithms.find((name) => name === given.algorithm);
  if (issuer === '') throw badField('issuer', 'issuer must be set');
  mustFitBarcode(issuer);
  if (algorithm === undefined) throw badField('algorithm', 'unrecognized algorithm');
  if (digits !== 6 && digits !== 8) throw badField('digits', 'digits can only be 6 or 8');
  mustBePositive('period', period);
  if (skew !== 0 && skew !== 1) throw badField('skew', 'skew must be 0 or 1');
  mustBePositive('key_size', key_size);
  if (qr_size < 0 || qr_size > most.qr_size) throw badField('qr_size', `qr_size must be between 0 and ${most.qr_size}`);
  mustBePositive('max_validation_attempts', max_validation_attempts);
  return { issuer, period, key_size, qr_size, algorithm, digits, skew, max_validation_attempts };
}

function mustBePositive(name: 'period' | 'key_size' | 'max_validation_attempts', value: number): void {
  if (value <= 0) throw badField(name, `${name} must be greater than zero`);
  if (value > most[name]) throw badField(name, `${name} may be at most ${most[name]}`);
}

function mustFitBarcode(issuer: string): void {
  if (/\p{Cc}/u.test(issuer)) throw badField('issuer', 'issuer contains control characters');
  if (encodeURIComponent(issuer).length > most.issuerEscaped)
    throw badField('issuer', 'issuer is too long for a barcode');
}
