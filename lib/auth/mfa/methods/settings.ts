import { badRequest } from '../../../core/errors.ts';
import { duration, type Input, integer, text } from '../../../path/fields.ts';

/** How codes of a method are made and checked. */
export interface TotpSettings {
  readonly issuer: string;
  /** Seconds for which a code stands. */
  readonly period: number;
  /** Bytes of a new secret. */
  readonly key_size: number;
  /** Pixels of the barcode's side; 0: there is none. */
  readonly qr_size: number;
  readonly algorithm: (typeof algorithms)[number];
  readonly digits: number;
  /** Periods before and after the present one whose codes are good too. */
  readonly skew: number;
  /** In one period, for one entity. */
  readonly max_validation_attempts: number;
}

const algorithms = ['SHA1', 'SHA256', 'SHA512'] as const;

/** So that each fits into a barcode, an integer of the store, and a moment of a processor. */
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
  period: duration().default(30).meta({ description: 'How long a code stands' }),
  key_size: integer().default(20).meta({ description: 'Length of new secrets in bytes' }),
  qr_size: integer().default(200).meta({ description: 'Side of the barcode in pixels; 0: no barcode' }),
  algorithm: text(16).default('SHA1').meta({ description: 'SHA1, SHA256 or SHA512' }),
  digits: integer().default(6).meta({ description: 'Digits of a code: 6 or 8' }),
  skew: integer().default(1).meta({ description: 'Periods around the present one whose codes are good too: 0 or 1' }),
  max_validation_attempts: integer().default(5).meta({ description: 'Attempts that an entity has in one period' }),
};

/** @throws AppError `bad-request` with the first thing that cannot be meant */
export function settingsOf(given: Input<typeof settingFields>): TotpSettings {
  const { issuer, period, key_size, qr_size, digits, skew, max_validation_attempts } = given;
  const algorithm = algorithms.find((name) => name === given.algorithm);
  if (issuer === '') throw badRequest('issuer must be set');
  mustFitBarcode(issuer);
  if (algorithm === undefined) throw badRequest('unrecognized algorithm');
  if (digits !== 6 && digits !== 8) throw badRequest('digits can only be 6 or 8');
  mustBePositive('period', period);
  if (skew !== 0 && skew !== 1) throw badRequest('skew must be 0 or 1');
  mustBePositive('key_size', key_size);
  if (qr_size < 0 || qr_size > most.qr_size) throw badRequest(`qr_size must be between 0 and ${most.qr_size}`);
  mustBePositive('max_validation_attempts', max_validation_attempts);
  return { issuer, period, key_size, qr_size, algorithm, digits, skew, max_validation_attempts };
}

function mustBePositive(name: 'period' | 'key_size' | 'max_validation_attempts', value: number): void {
  if (value <= 0) throw badRequest(`${name} must be greater than zero`);
  if (value > most[name]) throw badRequest(`${name} may be at most ${most[name]}`);
}

function mustFitBarcode(issuer: string): void {
  if (/\p{Cc}/u.test(issuer)) throw badRequest('issuer has characters that cannot be shown');
  if (encodeURIComponent(issuer).length > most.issuerEscaped) throw badRequest('issuer is too long for a barcode');
}
