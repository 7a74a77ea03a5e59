import type { Prepare } from '../contract.ts';
import type { ShareRule } from '../shares/shares.ts';

/** Joint operations of key holders on an unsealed service. All methods throw AppError `sealed` while it is sealed. */
export interface KeyAttempts {
  readonly rekey: Rekey;
  /** The same for the recovery keys of the automatic seal. */
  readonly recoveryRekey: Rekey;
  readonly rootToken: RootTokenAttempts;
}

/** Replaces a split key and thereby its shares. The keyring stays, so values are not re-encrypted. */
export interface Rekey {
  status(): Promise<RekeyStatus>;
  /** @throws AppError `bad-request` when the seal has no such key, the rule is invalid or a rekey is in progress */
  begin(rule: ShareRule, verification: boolean): Promise<RekeyStatus>;
  /** Ends the rekey without a change; does nothing when none is in progress. */
  cancel(): Promise<void>;
  /** Takes a share of the current key. @throws AppError `bad-request` */
  give(share: string, nonce: string): Promise<RekeyGiven>;
  /** @throws AppError `bad-request` when no verification is in progress */
  verification(): Promise<VerifyStatus>;
  /** Takes a share of the new key. With enough of them, the new key takes effect. @throws AppError `bad-request` */
  verify(share: string, nonce: string): Promise<VerifyStatus & { readonly complete: boolean }>;
  /** Forgets the new shares given so far. @throws AppError `bad-request` when no verification is in progress */
  restartVerification(): Promise<VerifyStatus>;
}

export interface RekeyStatus {
  /** Undefined when no rekey is in progress. */
  readonly nonce: string | undefined;
  /** The rule of the new key; zeros when no rekey is in progress. */
  readonly rule: ShareRule;
  readonly progress: number;
  readonly required: number;
  readonly verification: boolean;
  /** Set when the new shares have been issued and are waiting for verification. */
  readonly verificationNonce: string | undefined;
}

export interface RekeyGiven extends RekeyStatus {
  /** The new shares, returned in reply to the last old one. They exist nowhere else. */
  readonly shares: readonly Buffer[] | undefined;
}

export interface VerifyStatus {
  readonly nonce: string;
  readonly rule: ShareRule;
  readonly progress: number;
}

/** Makes a root token for the holders of enough key shares, or of recovery keys with the automatic seal. */
export interface RootTokenAttempts {
  status(): Promise<RootTokenStatus>;
  /** `otp`: the one-time pad, as long as the token. @throws AppError `bad-request` when an attempt is in progress */
  begin(otp: string): Promise<RootTokenStatus>;
  cancel(): Promise<void>;
  /** Takes a share; with the last one, `mint` makes the token in the same transaction. @throws AppError `bad-request` */
  give(share: string, nonce: string, mint: Prepare<string>): Promise<RootTokenStatus>;
}

export interface RootTokenStatus {
  /** Undefined when no attempt is in progress. */
  readonly nonce: string | undefined;
  readonly progress: number;
  readonly required: number;
  /** The token XORed with the one-time pad; only in the reply to the last share. */
  readonly combined: Buffer | undefined;
}
