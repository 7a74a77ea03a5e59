import { explanationOf } from '../explanation.ts';
import { CallFailure } from '../wire/failure.ts';

/** What a check has found. A remedy is a command or a few words. */
export interface Finding {
  readonly [key: string]: string;
  readonly check: string;
  readonly outcome: 'passed' | 'warning' | 'failed' | 'not checked';
  readonly finding: string;
  readonly remedy: string;
}

export const passed = (check: string, finding: string): Finding => ({ check, outcome: 'passed', finding, remedy: '' });
export const warning = (check: string, finding: string, remedy: string): Finding => ({
  check,
  outcome: 'warning',
  finding,
  remedy,
});
export const failed = (check: string, finding: string, remedy: string): Finding => ({
  check,
  outcome: 'failed',
  finding,
  remedy,
});

/** Findings of one kind that a check names. */
const namedMax = 5;

/** Names the first findings of a kind, and counts the others in one: `others` says where they are listed. */
export function firstOf(findings: readonly Finding[], others: (count: number) => Finding): readonly Finding[] {
  const more = findings.length - namedMax;
  return more > 0 ? [...findings.slice(0, namedMax), others(more)] : findings;
}

/** A check without a verdict, because the token lacks a right, or the server does not answer the call. */
export function unanswered(check: string, error: unknown): readonly Finding[] {
  if (!(error instanceof CallFailure)) throw error;
  const { message, next } = explanationOf(error, 'doctor');
  if (error.status === 403 && !error.isTokenInvalid)
    return [{ check, outcome: 'not checked', finding: 'the token may not read it', remedy: next }];
  return [failed(check, message, next)];
}
