import { CallFailure } from '#client/wire/failure.ts';
import { Icon } from './icon.tsx';

/** What went wrong with a form as a whole, read out at once. */
export const Problem = ({ text }: { readonly text: string }) => (
  <div class="field">
    <span class="problem" role="alert">
      <Icon name="alert" />
      <span class="wrap">{text}</span>
    </span>
  </div>
);

/** Why a call failed, in the words of the server. */
export const reasonOf = (cause: unknown, otherwise: string): string =>
  cause instanceof CallFailure ? cause.message : otherwise;
