import type { Prepare } from '../contract.ts';
import type { ShareRule } from '../shares/shares.ts';

/** What holders of key shares do together while the service is unsealed. All methods throw AppError `sealed` when it is not. */
export interface KeyAttempts {
  readonly rekey: Rekey;
  /** The same for the recovery keys of the automatic seal. */
  readonly recoveryRekey: Rekey;
  readonly rootToken: RootTokenAttempts;
}

/** Replaces a key that is split, and so its shares. Values are not encrypted anew: the keyring stays. */
export interface Rekey {
  status(): Promise<RekeyStatus>;
  /** @throws AppError `bad-request` where the seal has no such key, for an invalid rule, and when one is going on */
  begin(rule: ShareRule, verification: boolean): Promise<RekeyStatus>;
  /** Ends it without a change; nothing to do when none is going on. */
  cancel(): Promise<void>;
  /** Takes a share of the present key. @throws AppError `bad-request` */
  give(share: string, nonce: string): Promise<RekeyGiven>;
  /** @throws AppError `bad-request` when nothing waits to be verified */
  verification(): Promise<VerifyStatus>;
  /** Takes a share of the new key. With enough of them the new key is in force. @throws AppError `bad-request` */
  verify(share: string, nonce: string): Promise<VerifyStatus & { readonly complete: boolean }>;
  /** Forgets the new shares given so far. @throws AppError `bad-request` when nothing waits to be verified */
  restartVerification(): Promise<VerifyStatus>;
}

export interface RekeyStatus {
  /** Undefined: none is going on. */
  readonly nonce: string | undefined;
  /** Of the key that is to be; zeros while none is going on. */
  readonly rule: ShareRule;
  readonly progress: number;
  readonly required: number;
  readonly verification: boolean;
  /** Set when the new shares are out and wait to be verified. */
  readonly verificationNonce: string | undefined;
}

export interface RekeyGiven extends RekeyStatus {
  /** The new shares, with the last of the old ones; they exist here and nowhere else. */
  readonly shares: readonly Buffer[] | undefined;
}

export interface VerifyStatus {
  readonly nonce: string;
  readonly rule: ShareRule;
  readonly progress: number;
}

/** Makes a root token for whoever holds enough key shares, or recovery keys with the automatic seal. */
export interface RootTokenAttempts {
  status(): Promise<RootTokenStatus>;
  /** `otp`: the one-time pad for the token, of its length. @throws AppError `bad-request` when one is going on */
  begin(otp: string): Promise<RootTokenStatus>;
  cancel(): Promise<void>;
  /** Takes a share; with the last one `mint` makes the token, in the same transaction. @throws AppError `bad-request` */
  give(share: string, nonce: string, mint: Prepare<string>): Promise<RootTokenStatus>;
}

export interface RootTokenStatus {
  /** Undefined: none is going on. */
  readonly nonce: string | undefined;
  readonly progress: number;
  readonly required: number;
  /** The token combined with the one-time pad, with the last share. */
  readonly combined: Buffer | undefined;
}
